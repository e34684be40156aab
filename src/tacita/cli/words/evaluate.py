"""The words of `tacita evaluate`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json, add_switch
from tacita.cli.words.groups import add_kind, add_public, add_reading

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    evaluate = add_command(
        commands,
        "evaluate",
        COMMANDS["evaluate"],
        "tacita evaluate taps.parquet release --universe stations.csv",
    )
    evaluate.add_argument("input", metavar="INPUT", help="the private file, as publish takes it; - is standard input")
    evaluate.add_argument("release", metavar="FOLDER", help="the release folder")
    add_kind(evaluate, inferred_from="release")
    add_public(evaluate)
    add_reading(evaluate)
    evaluate.add_argument("--out", metavar="FILE", help="also save the figures as JSON in a new file outside the release folder")
    evaluate.add_argument(
        "--page", metavar="FILE", help="also draw figures and pictures as an HTML page in a new file outside the release folder"
    )
    add_switch(evaluate, "--tasks", "also train models on the release and test them on the file (needs scikit-learn)")
    add_switch(
        evaluate,
        "--without-noise",
        "also show what the same n-grams without any noise would give: the error that is not due to noise",
    )
    add_json(evaluate)
    add_config(evaluate)
