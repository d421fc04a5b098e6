"""Seeds: one stream per (study stream, point, set), whatever the number of workers or the order of work."""

from __future__ import annotations

import hashlib


def derive_seed(*parts: str | int) -> int:
    """Returns a 64-bit seed from named parts.

    The parts are joined with their lengths, so that ("ab", "c") and ("a", "bc") differ.
    """
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        encoded = str(part).encode()
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return int.from_bytes(digest.digest(), "little")
