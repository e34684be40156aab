"""What people see while they wait: progress on standard error, and only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar", "say", "tell_owner"]


def say(text: str) -> None:
    """Print a result."""
    print(text)  # noqa: T201 - the command line prints


def tell_owner(text: str) -> None:
    """Print what is for the owner's terminal only and must reach no file."""
    print(f"tacita: {text}", file=sys.stderr)  # noqa: T201 - the command line prints


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that is moved by calling what is yielded with (done, total); silent where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console  # noqa: PLC0415 - not paid for by help or scripts
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
