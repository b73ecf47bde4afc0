"""The King James Version as text to train on, and two books that are kept out of it.

Debian's package bible-kjv-text holds the words (1611, in the public domain, but in the United
Kingdom under the Crown's letters patent), compressed; the program of bible-kjv writes them out, a
verse a line:

    Ge1:1 In the beginning God created the heaven and the earth.

    bible -f ge1:1-rev22:21 > kjv.txt
"""

import re
import subprocess
import tempfile
from pathlib import Path

HELD_OUT = {"ruth": "Ruth", "esther": "Est"}
"""Passages of `attnlab.analysis.passage`, and what the corpus calls these books. Nothing else in
the Bible tells these two stories again, as Chronicles does Kings and Luke does Mark."""
VERSES = 31_102
SHA256 = "cd45f0c9cedab8e4439bd6486c8952c77cc8b0ecc5d1f6ae3513f2039f47229d"
"""Of all verses as version 4.38 of the package writes them: what the shipped weights have read."""

_VERSE = re.compile(r"(?P<book>\d?[A-Za-z]+)(?P<chapter>\d+):\d+ (?P<words>.+)")


def chapters(verses: str) -> dict[str, list[str]]:
    """The chapters of each book as running text, from lines such as "Ge1:1 In the beginning".

    Raises:
        ValueError: a line is no verse, or there are too few or too many.
    """
    found: dict[tuple[str, int], list[str]] = {}
    lines = verses.splitlines()
    if len(lines) != VERSES:
        raise ValueError(f"The corpus has {len(lines):,} verses; all of them are {VERSES:,}.")
    for line in lines:
        verse = _VERSE.fullmatch(line)
        if verse is None:
            raise ValueError(f"This line of the corpus is no verse: {line[:60]!r}")
        place = (verse["book"], int(verse["chapter"]))
        found.setdefault(place, []).append(" ".join(verse["words"].split()))
    books: dict[str, list[str]] = {}
    for (book, _), words in found.items():
        books.setdefault(book, []).append(" ".join(words))
    return books


def to_train_on(books: dict[str, list[str]]) -> str:
    """Every book that is not held out, in order, a line a chapter."""
    read = (lines for book, lines in books.items() if book not in HELD_OUT.values())
    return "".join(f"{line}\n" for lines in read for line in lines)


def held_out(books: dict[str, list[str]], name: str) -> str:
    """One of the books that are."""
    return "".join(f"{line}\n" for line in books[HELD_OUT[name]])


def download() -> str:
    """The verses from Debian's packages, on a machine that has apt-get and dpkg-deb.

    Raises:
        subprocess.CalledProcessError: the packages cannot be fetched or read.
    """
    with tempfile.TemporaryDirectory() as folder:
        packages = ("bible-kjv", "bible-kjv-text")
        subprocess.run(["apt-get", "download", *packages], cwd=folder, check=True)
        for package in sorted(Path(folder).glob("*.deb")):
            subprocess.run(["dpkg-deb", "--extract", package.name, "."], cwd=folder, check=True)
        program = Path(folder, "usr/bin/bible")
        data = Path(folder, "usr/lib")  # the program looks for its words where it is started
        wanted = [program, "-f", "ge1:1-rev22:21"]
        told = subprocess.run(wanted, cwd=data, check=True, capture_output=True, text=True)
    return told.stdout
