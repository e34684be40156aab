"""The words of `tacita publish`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json, add_switch
from tacita.cli.words.field_options import add_options
from tacita.cli.words.groups import FACT_OPTIONS, add_method, add_reading
from tacita.formats import LISTS, Holds, formats_of, named_formats

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    publish = add_command(
        commands,
        "publish",
        COMMANDS["publish"],
        "tacita publish taps.parquet --epsilon 1.0 --universe stations.csv --out release",
    )
    publish.add_argument(
        "input",
        metavar="INPUT",
        help=f"the private file: {_endings(Holds.EVENTS)} with one row per event, {_endings(Holds.RECORDS)}; - is standard input",
    )
    add_method(publish)
    add_options(publish.add_argument_group("public facts, which help to choose a method"), FACT_OPTIONS)
    add_switch(
        publish,
        "--observed-universe",
        "take the universe from the data, for experiments: the release is then NOT PRIVATE and says so",
    )
    add_reading(publish)
    output = publish.add_argument_group("output and ledger")
    known = formats_of(*LISTS)
    binary = named_formats([each for each in known if not each.is_text], "and")
    output.add_argument("--out", required=True, metavar="FOLDER", help="the folder to create; it must not exist yet")
    output.add_argument(
        "--format",
        metavar="FORMAT",
        help=f"{named_formats(known)}, all but {binary} also with .gz or .zst; the input's format if not given",
    )
    output.add_argument(
        "--spark-folder",
        metavar="URL",
        help="where the workers of the engine spark write the data, such as hdfs:///taps; the folder of --out if not given",
    )
    output.add_argument("--ledger", metavar="FILE", help="the ledger file that records the spend; in memory only if not given")
    add_switch(output, "--create-ledger", "create the ledger file if it does not exist, instead of refusing")
    output.add_argument("--dataset", metavar="NAME", help="the data set's name in the ledger; the file's name if not given")
    add_switch(output, "--new-dataset", "allow a data set without a cap in a ledger that holds caps for others")
    add_switch(output, "--dry-run", "show what would be done; the input is not opened, nothing is spent or written")
    add_json(output)
    add_config(publish)


def _endings(wanted: Holds) -> str:
    return named_formats([ending for known in formats_of(wanted) for ending in known.endings])
