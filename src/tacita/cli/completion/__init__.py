"""`tacita completion`: a script that lets a shell complete commands, options, choices and files, written from the parser.

The script holds every word, so that completing starts no Python; it is written anew with each version.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from tacita.cli.completion.vocabulary import vocabulary
from tacita.cli.parser import build_parser
from tacita.cli.screen import say

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    say(import_module(f"tacita.cli.completion.{options.shell}").script(vocabulary(build_parser())))
