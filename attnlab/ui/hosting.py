"""What a server that is open to strangers allows, and what it says.

`ATTNLAB_HOSTED=1` makes any way of starting the app careful with what is typed: packaged models
only, 512 tokens, caches bounded in bytes, no path of the server in a sentence. `hosted.py` sets it
and adds what only a server can do, see `server.py`. Nothing here imports Streamlit.
"""

import os
import re
from typing import Final

HOSTED_TOKENS: Final = 512
OPEN_TOKENS: Final = 2048

UNFORESEEN: Final = "Something unforeseen went wrong; the log of the server has the details."

# An absolute path, of this system or of another one, as it stands in a message: quoted whole, or
# two parts and more up to a space.
_QUOTED_PATH = re.compile(r"(?<=['\"“‘])(?:~|[A-Za-z]:)?[/\\]\w[^'\"”’]*(?=['\"”’])")
_PATH = re.compile(r"(?<![\w/.:])(?:~|[A-Za-z]:)?(?:[/\\][^\s/\\'\"“”‘’,;()]+){2,}[/\\]?")


def hosted() -> bool:
    """Whether this server is open to strangers: packaged models only, nothing read from disk."""
    return os.environ.get("ATTNLAB_HOSTED", "") not in ("", "0")


def max_tokens() -> int:
    """The most tokens of a text: ATTNLAB_MAX_TOKENS, else fewer where strangers may type."""
    default = HOSTED_TOKENS if hosted() else OPEN_TOKENS
    return int(os.environ.get("ATTNLAB_MAX_TOKENS", default))


def public(sentence: str) -> str:
    """`sentence` as a stranger may read it: where hosted, without the server's paths."""
    return _PATH.sub("…", _QUOTED_PATH.sub("…", sentence)) if hosted() else sentence
