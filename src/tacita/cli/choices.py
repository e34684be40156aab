"""From typed options to what they name, once per command, whatever the kind of data: method, budget, forecast and ledger.

`Choices` is the chosen method with everything that was typed for it. The forecast and the ledger of a command follow from it.

Commands that obey a `tacita.toml`: what it declares need not be typed, and what is typed takes precedence.

A command reads the file of the working directory if no kind, file or folder is typed, and any file that `--config` names. So
`tacita publish` alone obeys the file, and `tacita publish sequences taps.csv ...` means what is typed and nothing else: privacy
parameters never come from a file that happens to lie around. What the file holds is checked as a whole, whatever command runs.

Commands that judge a release open it beside its private file, and write private figures to new files outside every release.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cli.options import options_of, typed
from tacita.cli.parser import Parser, below
from tacita.cli.screen import one_at_a_time, progress_bar, tell_owner, warn
from tacita.errors import InputError, ParameterError
from tacita.io import STANDARD_INPUT, dataset_name, read_manifest
from tacita.kinds import Kind, kinds, load
from tacita.kinds.configuration import FILE_NAME, Configuration, read_configuration
from tacita.kinds.wanted import Wanted
from tacita.privacy.budget import USUAL_DELTA, Budget, Cost, ZeroConcentrated, decimal_text
from tacita.privacy.concentrated import rounded_up
from tacita.privacy.drafts import appearing, new_file, outside_releases
from tacita.privacy.ledger import PERSON, Balance, Ledger, require_ledger_folder
from tacita.privacy.ledger.books import cap_amounts
from tacita.privacy.ledger.entries import check_name
from tacita.public.inputs import PublicInputs

if TYPE_CHECKING:
    from tacita.forecasts import AnyForecast

__all__ = [
    "Choices",
    "Opened",
    "balance_as_json",
    "balance_text",
    "cap_text",
    "configure",
    "configured_options",
    "dataset_of",
    "expected_balance",
    "forecast_of",
    "group_text",
    "new_file",
    "opened_ledger",
    "opened_release",
    "outside_releases",
    "private_records",
    "refuse_an_empty_release",
    "write_new",
]


def dataset_of(options: argparse.Namespace) -> str:
    """The name of the data set in the ledger, which is that of the file if no other was given."""
    if options.dataset is None and options.input == STANDARD_INPUT:
        message = "data from standard input needs a name for the ledger; give --dataset"
        raise ParameterError(message)
    return dataset_name(options.input, options.dataset)


@dataclass(frozen=True, kw_only=True)
class Choices(Wanted):
    """What is wanted, as it was typed: the options of the command are at hand too."""

    options: argparse.Namespace

    def __init__(self, options: argparse.Namespace, known: PublicInputs | None = None) -> None:
        """Take what was typed of the options of the kind."""
        kind = kinds()[options.kind]
        super().__init__(
            given=typed(options, options_of(kind)),
            named_method=options.method,
            named_kind=kind.name,
            epsilon=getattr(options, "epsilon", None),
            delta=getattr(options, "delta", None),
            number=getattr(options, "records", None),
            mean_length=getattr(options, "mean_length", None),
            longest=getattr(options, "longest_record", None),
            measure=getattr(options, "measure", None),
            known=known,
        )
        object.__setattr__(self, "options", options)

    def records(self, public: PublicInputs, *, name: str | None) -> Any:  # noqa: ANN401 - each kind has records of its own
        """Read the private file."""
        return self.read(self.options.input, public, name=name)

    def written_format(self, public: PublicInputs) -> str:
        """The format in which the release will be written; the private file is not opened."""
        return self.output_format(self.options.input, public, getattr(self.options, "format", None))


# Forecasts from what was typed: what a release would keep, and whether it would be empty, before anything is spent.


def forecast_of(choices: Choices, *, like: tuple[str, ...] | None = None, alone: bool) -> AnyForecast:
    """The forecast from the public facts that were typed, of which the number of records is one."""
    from tacita.forecasts import forecast_for

    with progress_bar("forecasting") as progress:
        return forecast_for(choices, like=like, alone=alone, progress=progress)


def refuse_an_empty_release(choices: Choices) -> None:
    """If the number of records is public and was typed, refuse to spend a budget on a release with nothing in it."""
    if choices.number is None or choices.budget is None or choices.kind.forecast is None:
        return

    from tacita.forecasts import require_something

    with progress_bar("forecasting") as progress:
        uncovered = require_something(choices, progress=progress)
    if uncovered is not None:
        warn(f"--records was not used: {uncovered}")


# The ledger of a command, the balance that it expects before a publication, and balances as text and as JSON.

WAIT_SECONDS = 30.0
"""How long a command waits for other publishers."""


def opened_ledger(options: argparse.Namespace) -> Ledger:
    """The ledger of a publication: created if requested, in memory if none was given."""
    if options.ledger is None:
        return Ledger()
    rest = {"wait_seconds": WAIT_SECONDS, "new_datasets": options.new_dataset}
    return Ledger.create(options.ledger, exist_ok=True, **rest) if options.create_ledger else Ledger(options.ledger, **rest)


def expected_balance(options: argparse.Namespace, dataset: str, unit: str = PERSON) -> Balance:
    """The balance that a publication will find; refuses what the ledger would refuse, and makes no file.

    A ledger that is still to be made has a balance of nothing, if it can be made.
    """
    check_name(dataset)
    if options.ledger is None or (options.create_ledger and not Path(options.ledger).exists()):
        if options.ledger is not None:
            require_ledger_folder(options.ledger)
        return Balance(dataset=dataset, unit=unit)
    ledger = Ledger(options.ledger, wait_seconds=WAIT_SECONDS, new_datasets=options.new_dataset)
    return ledger.balance(dataset, unit=unit)


def balance_text(balance: Balance) -> str:
    """What was spent, and the cap, as text."""
    per = "" if balance.unit == PERSON else f" per {balance.unit}"
    spent = f"{balance.total.cost}{per}"
    if balance.rho:
        delta = balance.cap.delta if balance.cap is not None and balance.cap.delta else USUAL_DELTA
        implied = balance.total.epsilon_at(delta)
        spent += "" if implied is None else f" (together at most epsilon {rounded_up(implied)} at delta {rounded_up(delta)})"
    return f"{spent} spent, no cap is set" if balance.cap is None else f"{spent} spent of {_cap(balance.cap)}"


def _cap(cap: Budget) -> str:
    return f"rho {decimal_text(cap.rho)}" if isinstance(cap, ZeroConcentrated) else str(Cost(cap.epsilon, cap.delta))


def group_text(balance: Balance, together: int = 10) -> str:
    """What spends in a unit smaller than a person mean for several of them."""
    if balance.rho:
        return f"k of them together can lose k times the epsilon of one {balance.unit}, and k squared times its rho"
    each, whole = decimal_text(balance.epsilon), decimal_text(balance.epsilon * together)
    if " window of " in balance.unit:
        return f"anyone who has events in k such windows can lose k times {each}"
    return f"{each} per {balance.unit}, so {whole} for a group of {together}, and k times {each} for any k"


def cap_text(balance: Balance) -> str:
    """The cap as text."""
    if balance.cap is None:
        return "no cap is set"
    return f"the cap is {_cap(balance.cap).removeprefix('epsilon ')}"


def balance_as_json(balance: Balance) -> dict[str, object]:
    """A balance for scripts."""

    def text(value: Fraction | None) -> str | None:
        return None if value is None else decimal_text(value)

    return {
        "dataset": balance.dataset,
        "epsilon": text(balance.epsilon),
        "delta": text(balance.delta),
        "rho": text(balance.rho),
        "cap_epsilon": None if balance.cap is None else text(cap_amounts(balance.cap)[0]),
        "cap_delta": None if balance.cap is None else text(balance.cap.delta),
        "cap_rho": None if balance.cap is None else text(cap_amounts(balance.cap)[2]),
    }


_JUDGED = ("reading", "public")
_ALL = ("reading", "public", "parameters", "budget")

COMMANDS = {
    "publish": (("kind", "input"), (*_ALL, "output")),
    "stream": (("input",), (*_ALL, "output", "stream")),
    "explain": (("kind",), _ALL),
    "compare": (("kind", "input"), _ALL),
    "lattice": (("kind", "input"), _ALL),
    "attack": (("kind", "input"), _ALL),
    "audit": (("method",), _ALL),
    "evaluate": (("input", "out"), _JUDGED),
    "report": (("input", "out"), (*_JUDGED, "report")),
}
"""What each command takes from the file: the words that it begins with, and the tables."""


def configure(parser: Parser, arguments: Sequence[str]) -> tuple[list[str], Configuration | None]:
    """The words to parse, with those that the file gives; its values become the defaults of the command's options."""
    command, words = arguments[0], list(arguments[1:])
    file, leading = _named(words), list(takewhile(lambda word: not word.startswith("-"), words))
    if command not in COMMANDS or "-h" in words or "--help" in words or (file is None and "--all" in words):
        return list(arguments), None  # what is audited with `--all` is no data of the owner's
    if file is None and _is_judged(command, leading):
        file = FILE_NAME
    if file is None:
        if len(leading) >= len(COMMANDS[command][0]) or not Path(FILE_NAME).is_file() or not _is_left_out(command, leading):
            return list(arguments), None
        file = FILE_NAME
    found = read_configuration(file)
    first, tables = COMMANDS[command]
    words = [*_leading(found, first, leading), *words[len(leading) :]]
    child = below(parser)[command]
    if child.above and words and words[0] in below(child):
        child = below(child)[words[0]]
    method = found.values.get("method")
    child.filled(words if method is None else ["--method", str(method), *words])
    _set_defaults(child, {name: value for name, value in found.values.items() if found.table_of[name] in {"", *tables}})
    return [command, *words], found


def configured_options(options: argparse.Namespace) -> Configuration | None:
    """The file that a command obeys, all of whose lines are confirmed or typed; None if it obeys none."""
    found: Configuration | None = getattr(options, "configuration", None)
    if found is not None:
        found.require_confirmed(frozenset(name for name in found.open_lines if getattr(options, name, None) is not None))
    return found


def _is_judged(command: str, leading: Sequence[str]) -> bool:
    """Whether a release is to be compared with the very file that the working directory declares: it is read as declared."""
    if command not in {"evaluate", "report"} or len(leading) != 2 or not Path(FILE_NAME).is_file():
        return False
    try:
        named = read_configuration(FILE_NAME).values.get("input")
    except ParameterError:  # all that is needed was typed, and may be meant
        return False
    return named is not None and Path(str(named)).resolve() == Path(leading[0]).resolve()


def _is_left_out(command: str, leading: Sequence[str]) -> bool:
    """Whether what is typed leaves the words that begin a command to the file: all of them, or all but the release."""
    return not leading or (command in {"evaluate", "report"} and (Path(leading[0]) / "manifest.json").is_file())


def _leading(found: Configuration, first: Sequence[str], typed: Sequence[str]) -> list[str]:
    """The words that a command begins with: those typed, and those of the file that are left out.

    A kind that is typed comes before what the file gives, a release after it.
    """
    of_file = {"kind": found.kind.name, **{name: str(value) for name, value in found.values.items() if name in first}}
    if first[0] != "kind":
        return [*(of_file[name] for name in first[: max(0, len(first) - len(typed))] if name in of_file), *typed]
    if typed and typed[0] in kinds() and typed[0] != found.kind.name:
        message = f"{found.file} is for {found.kind.name}, got {typed[0]}; leave the kind out, or name another file with --config"
        raise ParameterError(message)
    return [*typed, *(of_file[name] for name in first[len(typed) :] if name in of_file)]


def _named(words: Sequence[str]) -> str | None:
    """The last file given; `--config` cannot be the value of another option, because the parser would not accept that."""
    name = None
    for place, word in enumerate(words):
        if word == "--":
            break
        if word.startswith("--config="):
            name = word.removeprefix("--config=")
        elif word == "--config" and place + 1 < len(words):
            name = words[place + 1]
    return name


def _set_defaults(parser: Parser, values: dict[str, object]) -> None:
    """Make values the defaults of the options that the command has."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to its options
        if action.option_strings and action.dest in values:
            action.default, action.required = values[action.dest], False


# Single files that a command writes beside its result: they appear complete or not at all, and never replace another.


def write_new(path: Path, text: str, *, what: str) -> None:
    """Write a file that appears complete or not at all."""
    with one_at_a_time(), appearing(path.absolute(), what=f"the {what} cannot be written to", is_file=True) as draft:
        draft.write_text(text, encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A release, what its manifest says, and the options that were typed."""

    kind: Kind
    manifest: Mapping[str, Any]
    published: Any
    given: Mapping[str, Any]


def opened_release(options: argparse.Namespace) -> Opened:
    """Open the release that was named, with the public inputs that were typed."""
    manifest = read_manifest(options.release)
    if manifest["kind"] not in kinds():
        message = (
            f"the release {options.release!r} must be one of {' or '.join(kinds())}, but its manifest says {manifest['kind']}"
        )
        raise InputError(message)
    kind = kinds()[manifest["kind"]]
    given = typed(options, kind.options)
    published = load(kind.opened)(Path(options.release), manifest, public=load(kind.inputs)(given))
    return Opened(kind=kind, manifest=manifest, published=published, given=given)


def private_records(options: argparse.Namespace, opened: Opened) -> Any:  # noqa: ANN401 - records of any kind
    """Read the private file that was named as the release was made."""
    from tacita.kinds.wanted import read_private

    kind, given = opened.kind, opened.given
    records = read_private(
        kind,
        options.input,
        public=opened.published.public,
        given=given,
        name="standard input" if options.input == STANDARD_INPUT else None,
    )
    tell_owner(records.owner_note)
    return records
