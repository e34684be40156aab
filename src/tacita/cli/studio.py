"""`tacita studio`: the whole path from a file to a release on a page of this machine."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from tacita.cli.screen import finish, say
from tacita.errors import ParameterError

__all__ = ["run"]

NEEDED = ("starlette", "uvicorn", "jinja2")


def run(options: argparse.Namespace) -> None:
    """Serve the studio until it is interrupted."""
    if any(find_spec(name) is None for name in NEEDED):
        message = "the studio needs some more packages: pip install 'tacita[studio]'"
        raise ParameterError(message)
    from tacita.studio.app import serve  # noqa: PLC0415 - its packages are an extra

    def show(text: str) -> None:
        say(text)
        finish()  # at once, also where a program reads the link

    serve(options.folder, ledger=options.ledger, port=options.port, browse=not options.no_browser, say=show)
