"""Python runs this as it starts, in every process that a test starts: such a process draws the same noise every time as well.

`same_noise` says in SAME_NOISE whose noise that is, and nothing else sets it. The first process that draws has the first stream
of that name, the next one the second, and so on, forks among them; each leaves an empty file, so that no two draw the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable

SAME_NOISE = "SAME_NOISE"


def streams_of(place: str) -> Callable[[int], bytes]:
    """Random bytes that depend on the last part of a path and on how many processes drew under it before; safe to fork."""
    own: dict[int, Callable[[int], bytes]] = {}

    def take(size: int) -> bytes:
        process = os.getpid()
        if process not in own:
            own.clear()  # those of the process that was forked
            own[process] = _stream(place)
        return own[process](size)

    return take


def _stream(place: str) -> Callable[[int], bytes]:
    import random

    number = 0
    while True:
        try:
            os.close(os.open(f"{place}.{number}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            number += 1
        else:
            return random.Random(f"{os.path.basename(place)} {number}").randbytes  # noqa: PTH119 - pathlib takes long to load


if SAME_NOISE in os.environ:
    os.urandom, os.cpu_count = streams_of(os.environ[SAME_NOISE]), lambda: 1
