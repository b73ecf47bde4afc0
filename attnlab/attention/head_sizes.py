"""How many heads an attention has and how large they are, worked out where it is left open."""

from __future__ import annotations

from dataclasses import dataclass

from attnlab.attention.checks import require_whole


@dataclass(frozen=True)
class HeadSizes:
    """H query heads over K key/value heads, with queries and keys of size D and values of E."""

    heads: int
    kv_heads: int
    key_size: int
    value_size: int

    @classmethod
    def of(
        cls,
        width: int,
        heads: int,
        kv_heads: int | None = None,
        key_size: int | None = None,
        value_size: int | None = None,
    ) -> HeadSizes:
        """Those of a width M: K is H, D is M / H and E is D where they are None.

        Raises:
            ValueError: a size is below 1, K does not divide H, or H does not divide M where D
                follows from it.
        """
        require_whole(width=width, heads=heads)
        if key_size is None and width % heads:
            raise ValueError(f"A width of {width} cannot be cut into {heads} heads; say key_size")
        kv_heads = heads if kv_heads is None else kv_heads
        key_size = width // heads if key_size is None else key_size
        value_size = key_size if value_size is None else value_size
        require_whole(kv_heads=kv_heads, key_size=key_size, value_size=value_size)
        if heads % kv_heads:
            raise ValueError(f"{heads} query heads cannot share {kv_heads} key/value heads")
        return cls(heads, kv_heads, key_size, value_size)
