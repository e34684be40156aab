"""The words of the command line. Options of methods are the fields of their dataclasses, by a table that a test keeps honest."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

from tacita.methods import METHODS

__all__ = ["METHOD_OPTIONS", "build_parser", "method_parameters"]


@dataclass(frozen=True, kw_only=True)
class MethodOption:
    """One public parameter of one or more methods."""

    field_name: str
    methods: tuple[str, ...]
    help: str
    convert: type = str
    choices: tuple[str, ...] | None = None
    metavar: str | None = field(default=None)

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return "--" + self.field_name.replace("_", "-")


METHOD_OPTIONS = (
    MethodOption(
        field_name="height",
        methods=("prefix-tree",),
        convert=int,
        metavar="N",
        help="cut sequences after N symbols; fix it without a look at the data",
    ),
    MethodOption(
        field_name="threshold",
        methods=("prefix-tree",),
        choices=("default", "published"),
        help="from which noisy count on prefixes are kept: by a bound on false ones (default), or the paper's constant",
    ),
    MethodOption(
        field_name="max_nodes",
        methods=("prefix-tree",),
        convert=int,
        metavar="N",
        help="stop with an error before a noisy tree has more than N nodes (20000000)",
    ),
)


def method_parameters(options: argparse.Namespace) -> dict[str, object]:
    """The parameters that were typed, by field name."""
    typed = {option.field_name: getattr(options, option.field_name) for option in METHOD_OPTIONS}
    return {name: value for name, value in typed.items() if value is not None}


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="tacita",
        description="Publish personal data without giving anyone away.",
        epilog="Exit codes: 0 done, 1 refused (one line says why), 2 wrong usage, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_publish(commands)
    _add_explain(commands)
    _add_ledger(commands)
    _add_audit(commands)
    _add_demo(commands)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - costs time that help need not pay

        print(f"tacita {version('tacita')}")  # noqa: T201 - the command line prints
        parser.exit()


Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse gives this type no public name


def _command(commands: Commands[argparse.ArgumentParser], name: str, summary: str, example: str) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"Example: {example}",
        allow_abbrev=False,
    )


def _add_publish(commands: Commands[argparse.ArgumentParser]) -> None:
    publish = _command(
        commands,
        "publish",
        "publish a file with a guarantee",
        "tacita publish taps.parquet --method prefix-tree --height 12 --epsilon 1.0 --universe stations.csv --out release",
    )
    publish.add_argument(
        "input", metavar="INPUT", help="the private file: .parquet or .csv with one row an event, or .seq (also .gz)"
    )
    _add_method(publish)
    publish.add_argument("--out", required=True, metavar="FOLDER", help="the folder to make; it must not exist yet")
    publish.add_argument("--format", metavar="FORMAT", help="parquet, csv or seq; as the input if not given")
    publish.add_argument("--ledger", metavar="FILE", help="the ledger file that records the spend; in memory only if not given")
    publish.add_argument("--dataset", metavar="NAME", help="the data set's name in the ledger; the file's name if not given")
    publish.add_argument("--id", default="id", metavar="COLUMN", help="the column that tells persons apart (id)")
    publish.add_argument("--label", default="label", metavar="COLUMN", help="the column with the labels (label)")
    publish.add_argument("--time", default="time", metavar="COLUMN", help="the column that orders a person's rows (time)")
    publish.add_argument("--strict", action="store_true", help="refuse labels outside the universe instead of dropping them")
    publish.add_argument(
        "--observed-universe",
        action="store_true",
        help="take the universe from the data, for experiments: the release is then NOT PRIVATE and says so",
    )


def _add_explain(commands: Commands[argparse.ArgumentParser]) -> None:
    explain = _command(
        commands,
        "explain",
        "tell where a budget would go, without touching data",
        "tacita explain --method prefix-tree --height 12 --epsilon 1.0 --universe stations.csv",
    )
    _add_method(explain)
    explain.add_argument("--json", action="store_true", help="print JSON for scripts")


def _add_method(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--method", required=True, choices=tuple(METHODS), help="how to publish")
    parser.add_argument("--epsilon", required=True, metavar="E", help="the budget, as 1, 0.5 or 1/3")
    _add_universe(parser)
    _add_parameters(parser)


def _add_universe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--universe",
        metavar="FILE",
        help="the public labels: one a line, the first column of a .csv with a header, or the header of a .seq file",
    )


def _add_parameters(parser: argparse.ArgumentParser) -> None:
    for option in METHOD_OPTIONS:
        methods = ", ".join(option.methods)
        parser.add_argument(
            option.flag,
            type=option.convert,
            choices=option.choices,
            metavar=option.metavar,
            help=f"{methods}: {option.help}",
        )


def _add_audit(commands: Commands[argparse.ArgumentParser]) -> None:
    audit = _command(
        commands,
        "audit",
        "check that a method keeps its promise",
        "tacita audit prefix-tree --height 3 --epsilon 1 --quick",
    )
    audit.add_argument("method", nargs="?", choices=tuple(METHODS), metavar="METHOD", help="the method to audit")
    audit.add_argument("--all", action="store_true", help="audit every method, the samplers and the broken controls")
    audit.add_argument("--epsilon", default="1", metavar="E", help="the budget (1)")
    _add_parameters(audit)
    audit.add_argument("--quick", action="store_true", help="fewer repetitions: two minutes for --all")
    audit.add_argument("--input", metavar="FILE", help="also replay on sampled neighbours of this real file")
    _add_universe(audit)
    audit.add_argument("--neighbours", type=int, default=1000, metavar="N", help="how many neighbours of the file (1000)")
    audit.add_argument("--seed", type=int, default=0, metavar="N", help="another choice of small data sets and replayed runs")
    audit.add_argument("--html", metavar="FILE", help="write a page with the evidence")
    audit.add_argument("--json", action="store_true", help="print JSON for scripts")


def _add_ledger(commands: Commands[argparse.ArgumentParser]) -> None:
    ledger = _command(
        commands, "ledger", "show what was spent, or set a cap", "tacita ledger cap metro.ledger --dataset taps --epsilon 3"
    )
    actions = ledger.add_subparsers(dest="action", required=True, metavar="ACTION")
    show = _command(actions, "show", "show balances and history", "tacita ledger show metro.ledger")
    show.add_argument("file", metavar="FILE", help="the ledger")
    show.add_argument("--json", action="store_true", help="print JSON for scripts")
    cap = _command(
        actions,
        "cap",
        "set what may be spent on a data set in all",
        "tacita ledger cap metro.ledger --dataset taps --epsilon 3",
    )
    cap.add_argument("file", metavar="FILE", help="the ledger; made if it does not exist")
    cap.add_argument("--dataset", required=True, metavar="NAME", help="the data set")
    cap.add_argument("--epsilon", required=True, metavar="E", help="the most that may be spent")
    cap.add_argument("--delta", metavar="D", help="the most that may be spent of delta; 0 if not given")


def _add_demo(commands: Commands[argparse.ArgumentParser]) -> None:
    demo = _command(commands, "demo", "simulate a small transit agency and publish it", "tacita demo --out tacita-demo")
    demo.add_argument("--out", metavar="FOLDER", help="the folder to make; tacita-demo, or the next free name, if not given")
