"""`tacita publish`: from a private file to a release folder, or with `--dry-run` a preview that opens no private file."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cli.options import add_kinds, add_method, add_needed, add_options, add_public, add_reading, add_rest, fact_options
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_config, add_json, add_line, add_switch
from tacita.cli.screen import one_at_a_time, paid_for, progress_bar, say, say_json, stop_if_asked, tell_owner, warn
from tacita.errors import InputError, LedgerExhaustedError, OutputError, ParameterError
from tacita.kinds import Kind, kinds
from tacita.kinds.options import LEDGER_OPTIONS, OUTPUT_OPTIONS

if TYPE_CHECKING:
    from tacita.cli.choices import Choices
    from tacita.privacy.budget import Cost, Explanation
    from tacita.privacy.drafts import Place
    from tacita.privacy.guarantee import Guarantee
    from tacita.privacy.ledger import Balance, Ledger
    from tacita.privacy.publishing import Published
    from tacita.privacy.release import Release, SignatureKey
    from tacita.public.inputs import PublicInputs
    from tacita.public.time_grid import TimeGrid

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    publish = add_command(
        commands,
        "publish",
        COMMANDS["publish"],
        "tacita publish sequences taps.parquet --epsilon 1.0 --universe stations.csv --out release",
    )
    add_kinds(publish, _fill)
    common = publish.add_argument_group("options of every kind")
    for flags, text in COMMON.items():
        add_line(common, flags, text)


COMMON = {
    "--out FOLDER": "the folder to create",
    "--ledger FILE": "the ledger file that records the spend",
    "--epsilon E": "the budget, for methods that promise differential privacy",
    "--method METHOD": "how to publish; chosen from public facts if not given",
    "--dry-run": "show what would be done; nothing is opened, spent or written",
}
"""What every kind takes, for the page that lists the kinds; tacita publish KIND --help has the rest."""


def _fill(kind: Kind, parser: Parser, words: Sequence[str]) -> None:
    """The options for one kind."""
    needed = add_needed(parser, kind, words, file="the private file; - is standard input")
    needed.add_argument("--out", required=True, metavar="FOLDER", help="the folder to create; it must not exist yet")
    needed.add_argument("--ledger", metavar="FILE", help="the ledger file that records the spend; in memory only if not given")
    example = " ".join(map(shlex.quote, kind.example))
    parser.epilog = f"Example: {parser.prog} FILE {example} {_first_input(kind)}--out FOLDER"
    add_public(parser, kind)
    add_reading(parser, kind, words)
    add_options(add_method(parser, kind, words), fact_options(kind))
    output = add_rest(parser)
    left_out = {"out"} if kind.in_parts else {"out", "spark_folder"}
    add_options(output, [option for option in (*OUTPUT_OPTIONS, *LEDGER_OPTIONS) if option.field_name not in left_out])
    if kind.observed is not None:
        add_switch(
            output,
            "--observed-universe",
            "take the universe from the data: the release is then NOT PRIVATE",
        )
    add_switch(output, "--finish", "name a release that a stopped run left complete")
    add_switch(output, "--dry-run", "show what would be done; the input is not opened")
    add_json(output)
    add_config(output)


def _first_input(kind: Kind) -> str:
    return "".join(f"{option.flag} {option.metavar} " for option in kind.public_options[:1])


NEARLY_EMPTY, FEWEST = 0.1, 10
"""A private release is nearly empty if it has less than this share of the records that there are said to be; or fewer than that
many, if nobody said."""


def run(options: argparse.Namespace) -> None:
    """Check everything that can be checked before budget is spent, then publish and write."""
    from tacita.cli.choices import (
        Choices,
        configured_options,
        dataset_of,
        expected_balance,
        opened_ledger,
        refuse_an_empty_release,
    )
    from tacita.cli.finishing import finished
    from tacita.kinds.wanted import charge_for, inputs_to_publish_with
    from tacita.privacy.drafts import DEFAULT_RESERVE, reserved
    from tacita.privacy.publishing import counted_by
    from tacita.privacy.release import SignatureKey, require_new_folder

    declared = configured_options(options)
    if options.dry_run:
        show(options)
        return
    choices = Choices(options)
    _ = choices.budget
    _require_spark(options)
    key = None if options.key is None else SignatureKey.read(options.key)
    dataset, out = dataset_of(options), require_new_folder(options.out)
    public = inputs_to_publish_with(choices, options.input, observed_universe=getattr(options, "observed_universe", False))
    choices = Choices(options, public)
    nobody = choices.nobody(public, name=dataset)
    if finished(choices, nobody.public, dataset=dataset, out=out):
        return
    file_format = choices.written_format(public)
    unit = counted_by(nobody, choices.mechanism)
    expected = expected_balance(options, dataset, unit)
    charge = charge_for(choices, nobody, public, dataset=dataset)
    refusal = None if charge is None else expected.refuses(charge.cost)
    if refusal:
        raise LedgerExhaustedError(refusal)
    refuse_an_empty_release(choices)
    records = choices.records(public, name=dataset)
    _warn_of_weak_promises(choices, public)
    if records.is_empty:
        message = f"there is nothing to publish: {records.why_empty}"
        raise InputError(message)
    tell_owner(records.owner_note)
    if declared is not None:
        cost = "no budget" if charge is None else str(charge.cost)
        kept = "no ledger" if options.ledger is None else f"the ledger {options.ledger}"
        warn(f"obeying {declared.file.resolve()}: {options.input} is published to {out}, for {cost}, in {kept}")
    with (
        reserved(out, size=DEFAULT_RESERVE if options.reserve is None else options.reserve) as place,
        _reporting_what_exists(out),
    ):
        ledger = opened_ledger(options)
        ledger.make_room = place.give_up_some
        release = _published(choices, records, ledger, place, partial(_write, file_format=file_format, key=key))
    if choices.budget is not None and options.ledger is None:
        warn("no --ledger was given, so this spend is not recorded anywhere")
    balance = None if options.ledger is None or choices.budget is None else ledger.balance(records.name, unit=unit)
    _tell(choices, release, out, balance)


def _warn_of_weak_promises(choices: Choices, public: PublicInputs) -> None:
    """Before the charge, so that anyone who did not mean it can still stop."""
    from tacita.kinds.wanted import large_epsilon

    if choices.budget is not None and (large := large_epsilon(choices.budget)) is not None:
        warn(large)
    if public.voids:
        warn("the universe is taken from the data: this release is NOT PRIVATE")


def _tell(choices: Choices, release: Release[Published], out: Path, balance: Balance | None) -> None:
    """What was published, for people or for scripts."""
    options = choices.options
    if options.json:
        say_json("tacita-publish-1", _as_json(release, out, options.ledger, balance))
        if (emptiness := _emptiness(release, options.records)) is not None:
            warn(emptiness)
    else:
        text = _as_text(release, out, balance, expected=options.records)
        say(text if choices.why is None else f"{choices.why}\n{text}")


def _require_spark(options: argparse.Namespace) -> None:
    """Before anything is spent: a folder of Spark goes with its engine, and names its file system."""
    from tacita.io.spark import require_url

    if getattr(options, "spark_folder", None) is None:
        return
    if getattr(options, "engine", None) != "spark":
        message = "--spark-folder goes with --engine spark; leave it out, and the data is written to the folder of --out"
        raise ParameterError(message)
    require_url(options.spark_folder)


@contextmanager
def _reporting_what_exists(out: Path) -> Iterator[None]:
    """If the run is stopped while it publishes, say whether there is a release; it is complete or does not exist."""
    try:
        yield
    except KeyboardInterrupt:
        warn(f"the release is complete, in {out}" if out.exists() else "there is no release; what was charged stays charged")
        raise


def _published(
    choices: Choices,
    records: Any,  # noqa: ANN401 - of any kind
    ledger: Ledger,
    place: Place,
    write: Callable[..., None],
) -> Release[Published]:
    """Publish and write; once something is drawn, one signal does not stop it, because what was charged stays charged."""
    with paid_for(lambda: ledger.has_drawn), progress_bar("publishing") as progress:
        release: Release[Published] = (
            choices.mechanism.publish(records, progress=progress)
            if choices.budget is None
            else choices.mechanism.publish(records, budget=choices.budget, ledger=ledger, progress=progress)
        )
        try:
            stop_if_asked()
            _make_room(place, release)
            if choices.budget is None:  # before anything exists, so that a ledger that cannot be written to stops it
                ledger.note_verified(records.name, choices.method.name, guarantee=release.guarantee.statement())
                release = replace(release, traced=partial(ledger.note_release, records.name))
            _write_twice(partial(write, release, place=place, **_elsewhere(choices.options)), place)
        except OutputError as error:
            spent = choices.options.ledger is not None and choices.budget is not None
            message = f"{error}; the spend stays in the ledger" if spent else str(error)
            raise OutputError(message) from None
    return release


BYTES_PER_RECORD = 8
"""What one record of a release takes on a disk at least, nearly always: less is not worth a warning."""


def _make_room(place: Place, release: Release[Published]) -> None:
    """Reserve what the noisy answers imply; the owner can still make room before it is written, so this stops nothing."""
    expected = BYTES_PER_RECORD * len(release.data)
    try:
        place.reserve(expected)
    except OSError as error:
        warn(f"the noisy answers imply a release of {expected:,} bytes or more: {error.strerror or error}; make room for it now")


def _write_twice(write: Callable[[], None], place: Place) -> None:
    """Write, and once more if that failed: the release is in memory and paid for, and faults of disks pass."""
    try:
        write()
    except OutputError as error:
        if place.is_kept:
            raise
        warn(f"{error}; trying once more")
        write()


def _write(release: Release[Published], *, place: Place, file_format: str, key: SignatureKey | None, **elsewhere: str) -> None:
    with one_at_a_time():
        release.write(place.name, file_format=file_format, key=key, place=place, **elsewhere)


def _elsewhere(options: argparse.Namespace) -> dict[str, str]:
    """Where data is written to, if it is not the folder of the release."""
    folder = getattr(options, "spark_folder", None)
    return {} if folder is None else {"spark_folder": folder}


def _emptiness(release: Release[Published], expected: int | None) -> str | None:
    """A loud warning if a release would be empty or nearly so, for this number of records or for any."""
    if kinds()[release.data.kind].length_is_public:
        return None
    made = len(release.data)
    spent = f"nothing stood out from the noise, and the budget is spent; see tacita explain {release.data.kind} --records"
    if not made:
        return f"THIS RELEASE IS EMPTY: {spent}"
    if "budget" not in release.manifest:
        return None
    if expected is not None and made < NEARLY_EMPTY * expected:
        return f"THIS RELEASE IS NEARLY EMPTY, {made:,} for {expected:,} records: next to {spent}"
    return f"THIS RELEASE IS NEARLY EMPTY, {made:,} in all: next to {spent}" if made < FEWEST else None


def _as_text(release: Release[Published], out: Path, balance: Balance | None, *, expected: int | None) -> str:
    from tacita.cli.choices import cap_text

    made, kind = "synthetic" if "budget" in release.manifest else "published", kinds()[release.data.kind]
    lines = [
        release.guarantee.statement(),
        f"{len(release.data):,} {made} {kind.pieces or kind.name}, manifest and README are in {out}",
    ]
    if (emptiness := _emptiness(release, expected)) is not None:
        lines.append(emptiness)
    if balance is not None:
        lines.append(f"spent on {balance.dataset!r} so far: {balance.total.cost}; {cap_text(balance)}")
    return "\n".join(lines)


def _as_json(release: Release[Published], out: Path, ledger: str | None, balance: Balance | None) -> dict[str, object]:
    """For scripts; the number of records is that of the release, which is noisy."""
    from tacita.cli.choices import balance_as_json

    return {
        "folder": str(out),
        "files": sorted(file.name for file in out.iterdir()),
        "kind": release.data.kind,
        "records": len(release.data),
        "guarantee": release.guarantee.as_json(),
        "ledger": ledger,
        "balance": None if balance is None else balance_as_json(balance),
    }


# The dry run: what would be promised, spent and written. The private file is not opened and need not exist.


@dataclass(frozen=True, kw_only=True)
class _Intent:
    guarantee: Guarantee | None
    explanation: Explanation
    folder: Path
    file_format: str
    grid: TimeGrid | None
    balance: Balance | None
    unit: str
    records_per_person: int
    units_together: int = 1

    @property
    def cost(self) -> Cost:
        """What one person would be charged."""
        from tacita.privacy.account import charged_for
        from tacita.privacy.budget import Cost

        plan, people, units = self.explanation.plan, self.records_per_person, self.units_together
        return Cost() if plan is None else charged_for(plan, records_per_person=people, units_together=units)

    @property
    def refusal(self) -> str | None:
        return None if self.balance is None else self.balance.refuses(self.cost)


def show(options: argparse.Namespace) -> None:
    """Show what would happen; refuse what the real run would refuse, and check the cap after everything is shown."""
    intent = _intent(options)
    if options.json:
        say_json("tacita-dry-run-1", _preview_json(options, intent))
    else:
        say(_preview_text(options, intent))
    if intent.refusal:
        raise LedgerExhaustedError(intent.refusal)


def _intent(options: argparse.Namespace) -> _Intent:
    from tacita.cli.choices import Choices, dataset_of, expected_balance
    from tacita.privacy.account import Rehearsal
    from tacita.privacy.publishing import counted_by, units_together_in
    from tacita.privacy.release import require_new_folder
    from tacita.public.inputs import PublicInputs

    if getattr(options, "observed_universe", False):
        message = "--dry-run does not open the data, so it cannot use --observed-universe; leave one of them out"
        raise ParameterError(message)
    choices = _without_header(Choices(options))
    budget = choices.budget
    dataset, folder = dataset_of(options), require_new_folder(options.out)
    public, mechanism = choices.public, choices.mechanism
    needs_universe = "universe" in {option.field_name for option in choices.kind.public_options}
    taxonomy = getattr(mechanism, "taxonomy", None)
    from tacita.public.universe import Universe

    stand_in = Universe(["unseen"]) if taxonomy is None else taxonomy.universe
    whole = public if public.universe is not None or not needs_universe else PublicInputs(universe=stand_in, grid=public.grid)
    nobody = choices.nobody(whole, name=dataset)
    unit = counted_by(nobody, mechanism)
    expected = expected_balance(options, dataset, unit)
    return _Intent(
        guarantee=None if budget is None else mechanism.publish(nobody, budget=budget, ledger=Rehearsal()).guarantee,
        explanation=choices.explanation(),
        folder=folder,
        file_format=choices.written_format(whole),
        grid=public.grid,
        balance=None if budget is None else expected,
        unit=unit,
        records_per_person=nobody.records_per_person,
        units_together=units_together_in(mechanism),
    )


def _without_header(choices: Choices) -> Choices:
    """The choices without a universe declared in the header of the private file, which stays closed."""
    from tacita.cli.choices import Choices
    from tacita.kinds.words import is_header
    from tacita.public.inputs import UNKNOWN

    options, named = choices.options, choices.given.get("universe")
    if named is None:
        takes_universe = "universe" in {option.field_name for option in choices.kind.public_options}
        if takes_universe and choices.public.universe is None:  # cells of a map are one too
            message = "name the public --universe (for a .seq file, its header serves)"
            raise ParameterError(message)
        return choices
    if is_header(named) and Path(named).absolute() == Path(options.input).absolute():
        return Choices(options, UNKNOWN)
    return choices


def _preview_text(options: argparse.Namespace, intent: _Intent) -> str:
    from tacita.cli.choices import balance_text

    kept = "in memory only, so the spend would not be remembered" if options.ledger is None else str(options.ledger)
    lines = ["dry run: the input is not opened, nothing is spent, nothing is written", ""]
    if intent.guarantee is not None:
        lines += [intent.guarantee.statement().replace("This release satisfies", "The release would satisfy"), ""]
    lines += [
        str(intent.explanation),
        "",
        f"input   {options.input}, not opened",
        f"output  {intent.folder}, as {intent.file_format}",
        *([] if intent.grid is None else [f"times   {_grid_text(intent.grid)}"]),
    ]
    if intent.balance is not None:
        verdict = "the cap would refuse it" if intent.refusal else "it would be allowed"
        spend = f"{intent.cost} on {intent.balance.dataset!r}"
        lines += [f"ledger  {kept}", f"spend   {spend}; {balance_text(intent.balance)}; {verdict}"]
    return "\n".join(lines)


def _grid_text(grid: TimeGrid) -> str:
    return f"{grid.intervals:,} intervals of {grid.interval}, starting at {grid.start}"


def _preview_json(options: argparse.Namespace, intent: _Intent) -> dict[str, object]:
    from tacita.cli.choices import balance_as_json

    return {
        "input": str(options.input),
        "folder": str(intent.folder),
        "format": intent.file_format,
        "time_grid": None if intent.grid is None else intent.grid.as_json(),
        "guarantee": None if intent.guarantee is None else intent.guarantee.as_json(),
        "explanation": intent.explanation.as_json(),
        "ledger": options.ledger,
        "balance": None if intent.balance is None else balance_as_json(intent.balance),
        "unit": intent.unit,
        "allowed": intent.refusal is None,
    }
