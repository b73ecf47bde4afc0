"""A diagram in many pictures: what stands still, and what each picture adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attnlab.viz.diagram import Diagram
from attnlab.viz.payload import pack


@dataclass(frozen=True)
class Film:
    """Pictures of one size.

    Attributes:
        ground: what stands still, with the size and a label.
        frames: what each picture adds.
        names: what each picture shows, in a few words.
    """

    ground: Diagram
    frames: Sequence[Diagram]
    names: Sequence[str]

    def picture(self, at: int) -> Diagram:
        """One of the pictures as a diagram by itself, for a file."""
        ground, frame = self.ground, self.frames[at]
        label = f"{ground.label} {self.names[at]}"
        shapes = [*ground.shapes, *frame.shapes]
        return Diagram(ground.width, ground.height, label, shapes, list(frame.spots))


def film_payload(film: Film, *, frame: int = 0, serial: int = 0) -> bytes:
    """What the browser plays it from, beginning at one of its pictures.

    Raises:
        ValueError: there are no pictures, not as many names, or no such picture.
    """
    if not film.frames or len(film.names) != len(film.frames):
        raise ValueError(f"{len(film.frames)} pictures have {len(film.names)} names")
    if not 0 <= frame < len(film.frames):
        raise ValueError(f"there is no picture {frame}; there are {len(film.frames)}")
    header = {
        "width": film.ground.width,
        "height": film.ground.height,
        "label": film.ground.label,
        "shapes": film.ground.shapes,
        "frames": [
            {
                "name": name,
                "shapes": one.shapes,
                "spots": [[s.x, s.y, s.width, s.height, s.title, list(s.lines)] for s in one.spots],
            }
            for name, one in zip(film.names, film.frames, strict=True)
        ],
        "frame": frame,
        "serial": serial,
    }
    return pack(header, {})
