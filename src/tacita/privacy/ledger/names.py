# ruff: noqa: RUF001 - letters that look alike are the subject of this module
"""When two names mean the same data set.

A cap that is bypassed by another spelling of the name is no cap. So names are compared in two ways, and one is enough to be the
same: *folded* (Unicode form NFKC, no case, one kind of dash, apostrophe, space and digit, no invisible characters), and by their
*skeleton*, in which letters that look alike in Latin, Cyrillic, Greek and Armenian type are one letter. The skeleton follows the
idea of Unicode's UTS 39, with a table of letters that nobody can tell apart in the middle of a word; unlike it, it does not put
l, I and 1 together, which are different in too many honest names.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from tacita.errors import LedgerError

__all__ = ["check_name", "keys"]

_LOOK_ALIKES = {
    "АВЕЅІЈКМНОРСТУХԌԚԜѴЅҺԀ": "abesijkmhopctyxgqwvshd",  # Cyrillic capitals
    "аеорсухіјѕһԁԛԝѵӏ": "aeopcyxijshdqwvl",  # and small letters
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϿͿ": "abezhikmnoptyxccj",  # Greek capitals
    "αικνορτυχϲϳγηω": "aikvoptuxcjynw",  # and small letters
    "ՍՕՏԼ": "uosl",  # Armenian capitals
    "օսհոցզ": "ouhngq",  # and small letters
    "ıɑɡȷɩ": "iagji",  # Latin letters beyond the alphabet
}
_TABLE = {ord(one): other for ours, latin in _LOOK_ALIKES.items() for one, other in zip(ours, latin, strict=True)}
_SAME = {ord(mark): "-" for mark in "‐‑‒–—―−﹘﹣－⁃"} | {ord(mark): "'" for mark in "‘’‛ʼʹ′＇`´"}
_INVISIBLE = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
_INVISIBLE |= set(range(0xE0100, 0xE01F0))


@lru_cache(maxsize=4096)
def keys(name: str) -> tuple[str, str]:
    r"""Two keys of a name; names that share the first or the second one mean the same.

    >>> keys("donne\u0301es") == keys("DONNÉES")
    True
    >>> keys("t\u0430ps")[1] == keys("taps")[1]  # the first has a Cyrillic letter
    True
    """
    plain = _plain(name)
    letters = unicodedata.normalize("NFD", plain).translate(_TABLE)
    return f"name:{_folded(plain)}", f"looks:{_folded(letters)}"


def check_name(name: str, *, what: str = "the name of a data set") -> str:
    """Give back a name that can be seen as it is; refuse one that could hide something."""
    if not name or not name.isprintable() or name != name.strip():
        message = f"{what} must be a printable string without spaces around it, got {name!r}"
        raise LedgerError(message)
    return name


def _plain(name: str) -> str:
    """The name without case-free differences: one form, one kind of dash, apostrophe, digit and space, nothing invisible."""
    seen = "".join(sign for sign in unicodedata.normalize("NFKC", name) if ord(sign) not in _INVISIBLE)
    digits = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in seen.translate(_SAME))
    return " ".join(digits.split())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
