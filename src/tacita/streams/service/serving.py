"""A stream from public parameters to a running publisher: ledger, journal, manifest, output, live page.

Two folders: `state` is the owner's (the journal shows who was there when; the metrics, and the ledger if no other is named, lie
there too), `out` may be given away (the histograms, a manifest and a page). The charge is opened once, when the journal is made,
and taken up again at every restart: the ledger holds that any window costs epsilon and how far the journal has come, and the
journal, which is synced with each release, holds what each timestamp cost. Everything that the promise or the meaning of the
counts depends on is in the head of the journal, and a restart with something else is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from tacita.errors import LedgerDamagedError, LedgerError, LedgerLockedError, ParameterError
from tacita.gate import told
from tacita.io import write_outlines
from tacita.privacy.account import Account, Charge
from tacita.privacy.budget import Budget, PureDP
from tacita.privacy.described import readme_of
from tacita.privacy.guarantee import DifferentialPrivacy
from tacita.privacy.ledger import AppendLog, Binding, EntryKind, Ledger
from tacita.privacy.ledger.entries import now
from tacita.privacy.publishing import parameters_of
from tacita.privacy.release import Release, manifest_of
from tacita.public.inputs import PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.methods import Pace
from tacita.streams.pace.levels import Beliefs
from tacita.streams.pace.running import Pacing, smoothed
from tacita.streams.protection import Level, Presence, Protection, contexts_in
from tacita.streams.published import OTHER, SIXTEENTHS, THOUSANDTHS, PublishedStream, known_errors, with_other
from tacita.streams.publishing import StreamMethod, level_rule, planned, relation_of, window_words
from tacita.streams.records import point_rule, required_grid
from tacita.streams.service.intake import Clock, Settings
from tacita.streams.service.journal import FORMAT
from tacita.streams.service.live import LivePage
from tacita.streams.service.outbox import (
    JsonLines,
    Outbox,
    Outboxes,
    ParquetParts,
    metrics_endpoint,
    replace_file,
    written,
)
from tacita.streams.service.publisher import Publisher
from tacita.streams.service.sources import Source

__all__ = ["FINISHED", "Service"]

FINISHED = "smoothed"
"""The folder of the second release, in the one of what was released while the stream went on."""

METRICS = "metrics.prom"
_WAIT_TO_FINISH = 1.0
SMOOTHED = (
    "the stream had ended: each timestamp was estimated again from all measurements that were released, by a backward pass; "
    "nothing was drawn or charged for it, and intervals and deviations are those that were released before"
)


@dataclass(frozen=True, kw_only=True)
class Service:
    """One stream that goes on, by name, with everything that is public about it."""

    name: str
    method: StreamMethod
    budget: Budget
    public: PublicInputs
    state: Path
    out: Path
    settings: Settings = field(default_factory=Settings)
    longer_windows: Mapping[str, int] = field(default_factory=dict)
    """The numbers of protected contexts of people who have more of them than all others; public."""
    parquet: bool = False
    page: bool = False
    metrics: tuple[str, int] | None = None
    """Host and port at which the metrics are served too."""
    moved: bool = False
    """Whether the owner says that the journal was moved here, and that the one it was copied from is gone."""

    def __post_init__(self) -> None:
        """Refuse what the promise would not hold with: a clock that tells, windows of single people who are not named."""
        object.__setattr__(self, "settings", replace(self.settings, names_people=self.method.presence is Presence.PUBLIC))
        if self.longer_windows and not self.settings.names_people:
            message = "windows for single people need public presence; leave them out, or choose presence public"
            raise ParameterError(message)
        if any(own < self._contexts for own in self.longer_windows.values()):
            message = f"a longer window must have at least the {self._contexts:,} contexts of all others; leave shorter ones out"
            raise ParameterError(message)

    def run(self, source: Source, *, ledger: Ledger | None = None, most: int | None = None) -> int:
        """Publish until the source or the grid ends; without a ledger, one beside the state folder is used.

        It does not lie in the state folder: whoever puts an older state back must not put the ledger back with it.
        """
        self.settings.check(source, self._grid)
        for folder in (self.out, self.state):
            with written(folder):
                folder.mkdir(parents=True, exist_ok=True)
        with written(self.state):
            self.state.chmod(0o700)  # its journal shows who was there when
        ledger = Ledger.create(self._beside, exist_ok=True, new_datasets=True) if ledger is None else ledger
        charge = self._charge(ledger)
        binding = ledger.binding(charge)
        with ledger.resume(charge) as account:
            account.commit = lambda _: binding.check()  # what a timestamp costs is committed by the journal, with its release
            with nullcontext() if self.metrics is None else metrics_endpoint(self.state / METRICS, self.metrics):
                return self._publisher(account, binding, self._outbox()).run(source, most=most)

    def finish(self, *, ledger: Ledger | None = None, file_format: str | None = None) -> Path:
        """End the stream, and release it once more, smoothed: each timestamp in the light of what was measured later.

        Only what was released is used, with what is public of presence, so that nothing is drawn and nothing is charged. The
        release is a folder in `out`; it is made once, and nothing goes on afterwards.
        """
        folder = self.out / FINISHED
        if not isinstance(self.method, Pace) or not self.settings.names_people:
            message = "only a stream that pace published with presence public can be smoothed; others end as they were released"
            raise ParameterError(message)
        if not self._journal.is_there:
            message = f"there is no stream to finish: {str(self.state)!r} holds no journal; name the state folder of one"
            raise ParameterError(message)
        self._require_ended()
        ledger = Ledger(self._beside) if ledger is None else ledger
        charge = self._charge(ledger)
        if not folder.exists():
            with ledger.resume(charge) as account:
                self._smoothed(account, ledger.binding(charge)).write(folder, file_format=file_format)
        if not any(entry.kind is EntryKind.FINISHED and entry.charge == charge for entry in ledger.history()):
            ledger.finish(charge)
        return folder

    def _require_ended(self) -> None:
        """Refuse a stream that somebody publishes: whoever does so holds the journal."""
        try:
            with replace(self._journal, wait_seconds=_WAIT_TO_FINISH).writing():
                return
        except LedgerLockedError:
            message = f"the stream in {str(self.state)!r} is still running; end it first, then finish it"
            raise LedgerLockedError(message) from None

    def _smoothed(self, account: Account, binding: Binding) -> Release[PublishedStream]:
        """The second release, while the account is open."""
        released, told = [], []
        beliefs: Beliefs | None = None
        for each, running in self._publisher(account, binding, None).history():
            if isinstance(running, Pacing):
                beliefs = running.beliefs
                released.append(each)
                told.append(beliefs.now)
        if beliefs is None or (self.method.contexts == Level.USER and len(released) < self._grid.intervals):
            message = "a stream can be finished once something was released; one that protects all of its grid, at the grid's end"
            raise ParameterError(message)
        found = smoothed(told, beliefs)
        grid = TimeGrid(start=self._grid.start, interval=self._grid.interval, intervals=len(released))
        intervals, deviations = known_errors([(each.interval, each.deviation) for each in released], cells=len(self._cells))
        data = PublishedStream(
            sixteenths=found.counts * SIXTEENTHS,
            measured=np.array([each.measured for each in released]),
            means=found.means / THOUSANDTHS,
            intervals=intervals,
            deviations=deviations,
            cells=self._cells,
            grid=grid,
        )
        manifest = self._manifest(account, PublicInputs(universe=self._cells, grid=grid), (SMOOTHED,))
        return Release(data=data, guarantee=self._guarantee(account), manifest=manifest, traced=account.trace)

    def _publisher(self, account: Account, binding: Binding, outbox: Outbox | None) -> Publisher:
        return Publisher(
            make=lambda wall: self.method.start(self.budget, cells=len(self._cells), wall=wall, protection=self._protection),
            wall=account,
            cells=self._cells,
            grid=self._grid,
            journal=self._journal.path,
            outbox=Outboxes() if outbox is None else outbox,
            settings=self.settings,
            metrics=self.state / METRICS,
            binding=binding,
            moved=self.moved,
            reserved=tuple(self.longer_windows),
            report=lambda: self._write_manifest(account),
        )

    @property
    def _beside(self) -> Path:
        """The ledger that is used if none is named."""
        return self.state.with_name(f"{self.state.name}.ledger")

    @property
    def _cells(self) -> Universe:
        return with_other(self.public.required_universe())

    @property
    def _grid(self) -> TimeGrid:
        return required_grid(self.public)

    @property
    def _inputs(self) -> PublicInputs:
        return PublicInputs(universe=self._cells, grid=self._grid)

    @property
    def _contexts(self) -> int:
        return contexts_in(self.method.contexts, self._grid)

    @property
    def _protection(self) -> Protection:
        """Those who have longer windows have the first numbers; see `People`."""
        longer = dict(enumerate(self.longer_windows.values()))
        return Protection(contexts=self._contexts, presence=self.method.presence, contexts_of=longer)

    @property
    def _journal(self) -> AppendLog:
        return AppendLog(path=self.state / "stream.journal", kind=FORMAT, noun="stream journal", mode=0o600)

    def _head(self) -> dict[str, object]:
        """What must be the same whenever the stream is taken up again."""
        longer = json.dumps(dict(self.longer_windows)).encode()
        return {
            "kind": "stream",
            "dataset": self.name,
            "method": self.method.name,
            "parameters": parameters_of(self.method),
            "epsilon": str(self.budget.epsilon),
            **({} if isinstance(self.budget, PureDP) else {"delta": str(self.budget.delta), "rho": str(self.budget.rho)}),
            "public": self._inputs.as_json(),
            "clock": str(self.settings.clock),
            "grace": self.settings.grace,
            "longer_windows": hashlib.sha256(longer).hexdigest() if self.longer_windows else "",
        }

    def _charge(self, ledger: Ledger) -> str:
        """The charge of this stream: that of its journal, or a new one with a new journal."""
        if not self._journal.is_there:
            plan, unit = planned(self.method, self.budget, self._inputs), relation_of(self.method, self._inputs).counted
            asked = Charge(dataset=self.name, mechanism=self.method.name, plan=plan, unit=unit)
            with self._journal.room(), ledger.open(asked) as account:
                identity = account.charge_id
            self._journal.create([{**self._head(), "charge": identity}], at=now())
            return identity
        what = f"the stream journal {str(self._journal.path)!r}"
        with told(what, error=LedgerDamagedError), self._journal.reading() as reader:
            held: Mapping[str, Any] = next(reader.records()).payload
            charge = str(held["charge"])
        same = json.loads(json.dumps(self._head()))
        different = sorted(name.replace("_", " ") for name, value in same.items() if held.get(name) != value)
        if different:
            message = (
                f"the journal {str(self._journal.path)!r} belongs to a stream with another {', '.join(different)}; "
                "go on with what it was begun with, or name another state folder"
            )
            raise LedgerError(message)
        return charge

    def _outbox(self) -> Outbox:
        histograms: Outbox = (
            ParquetParts(self.out / "parts", grid=self._grid, cells=self._cells)
            if self.parquet
            else JsonLines(
                self.out / "stream.jsonl", grid=self._grid, cells=self._cells, presence=self.method.presence, errors=self.page
            )
        )
        if not self.page:
            return histograms
        promise = window_words(self.method, self.budget, self._grid)
        title = f"{self.name}, by {self.method.name}"
        grace = (
            timedelta(microseconds=self.settings.grace) if self.settings.clock is Clock.WALL and self._grid.is_of_dates else None
        )
        page = self.out / "live.html"
        return Outboxes(histograms, LivePage(page, title=title, promise=promise, cells=self._cells, grid=self._grid, grace=grace))

    def _write_manifest(self, account: Account) -> None:
        """Manifest and README, with all that was drawn so far."""
        manifest = self._manifest(account, self._inputs)
        for name, text in (
            ("manifest.json", json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"),
            ("README.md", readme_of(manifest, whole="a stream")),
        ):
            replace_file(self.out / name, text)
        if self._cells.cells is not None and self._cells.cells.is_outlined:
            write_outlines(self.out, self._cells.cells)

    def _manifest(self, account: Account, public: PublicInputs, rules: tuple[str, ...] = ()) -> dict[str, object]:
        return manifest_of(
            kind="streams",
            mechanism=self.method.name,
            parameters=parameters_of(self.method),
            guarantee=self._guarantee(account),
            account=account,
            public=public,
            rules=(*self._rules(), *rules),
        )

    def _guarantee(self, account: Account) -> DifferentialPrivacy:
        noise = () if account.private else (f"its noise came from {account.noise_source}",)
        relation = relation_of(self.method, self._inputs)
        return DifferentialPrivacy(budget=self.budget, neighbours=relation, voids=(*self._inputs.voids, *noise))

    def _rules(self) -> tuple[str, ...]:
        clock = {Clock.WALL: "a clock", Clock.EVENTS: "the times of recorded events"}
        longer = ("people on a public list have longer windows than all others",) if self.longer_windows else ()
        return (
            f"timestamps were closed by {clock[self.settings.clock]}, {self.settings.grace} units of the grid after their end",
            "events that came after their timestamp was closed were left out",
            *point_rule(self._cells),
            f"a status that is not among the cells was counted as {OTHER!r}",
            "of several events of one person in one interval the first counted, whatever its status",
            *level_rule(self.method),
            *longer,
        )
