"""A stream from public parameters to a running publisher: ledger, journal, manifest, output.

Two folders: `state` is the owner's (the journal shows who was there when; the ledger and the metrics lie there too), `out` may
be given away (the histograms and a manifest). The charge is opened once, when the journal is made, and taken up again at every
restart: the ledger holds that any window costs epsilon, and the journal, which is synced with each release, holds what each
timestamp cost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tacita.errors import LedgerError, ParameterError
from tacita.privacy.account import Charge
from tacita.privacy.budget import PureDP
from tacita.privacy.guarantee import DifferentialPrivacy
from tacita.privacy.ledger import AppendLog, Ledger
from tacita.privacy.ledger.entries import now
from tacita.privacy.publishing import parameters_of
from tacita.privacy.release import manifest_of
from tacita.public.inputs import PublicInputs
from tacita.streams.methods import BudgetAbsorption, Pace, Republish, Sample, Uniform
from tacita.streams.protection import Presence
from tacita.streams.published import OTHER, with_other
from tacita.streams.publishing import planned, relation_of
from tacita.streams.records import required_grid
from tacita.streams.service.intake import Clock, Late
from tacita.streams.service.journal import FORMAT
from tacita.streams.service.outbox import JsonLines, Outbox, ParquetParts
from tacita.streams.service.publisher import Publisher, Settings
from tacita.streams.service.sources import FileSource, IteratorSource, Source

__all__ = ["Service"]


@dataclass(frozen=True, kw_only=True)
class Service:
    """One stream that goes on, by name, with everything that is public about it."""

    name: str
    method: Pace | Uniform | Sample | Republish | BudgetAbsorption
    method_name: str
    budget: PureDP
    public: PublicInputs
    state: Path
    out: Path
    settings: Settings = field(default_factory=Settings)
    parquet: bool = False

    def run(self, source: Source, *, ledger: Ledger | None = None, most: int | None = None) -> int:
        """Publish until the source or the grid ends; without a ledger, one in the state folder is used."""
        self._refuse_a_clock_that_tells(source)
        for folder in (self.state, self.out):
            folder.mkdir(parents=True, exist_ok=True)
        ledger = Ledger.create(self.state / "ledger", exist_ok=True, new_datasets=True) if ledger is None else ledger
        cells, grid = with_other(self.public.required_universe()), required_grid(self.public)
        charge = self._charge(ledger)
        with ledger.resume(charge) as account:
            account.commit = lambda _: None  # what a timestamp costs is committed by the journal, with its release
            self._write_manifest(account)
            publisher = Publisher(
                make=lambda wall: self.method.start(self.budget, cells=len(cells), wall=wall),
                wall=account,
                cells=cells,
                grid=grid,
                journal=self._journal.path,
                outbox=self._outbox(),
                settings=replace(self.settings, names_people=self.method.presence is Presence.PUBLIC),
                metrics=self.state / "metrics.prom",
            )
            return publisher.run(source, most=most)

    @property
    def _journal(self) -> AppendLog:
        return AppendLog(path=self.state / "stream.journal", kind=FORMAT, noun="stream journal")

    def _head(self) -> dict[str, object]:
        """What must be the same whenever the stream is taken up again."""
        public = PublicInputs(universe=with_other(self.public.required_universe()), grid=self.public.grid)
        return {
            "kind": "stream",
            "dataset": self.name,
            "method": self.method_name,
            "parameters": parameters_of(self.method),
            "epsilon": str(self.budget.epsilon),
            "public": public.as_json(),
        }

    def _charge(self, ledger: Ledger) -> str:
        """The charge of this stream: that of its journal, or a new one with a new journal."""
        if not self._journal.path.exists():
            plan = planned(self.method, self.budget, name=self.method_name)
            with ledger.open(Charge(dataset=self.name, mechanism=self.method_name, plan=plan)) as account:
                identity = account.charge_id
            self._journal.create([{**self._head(), "charge": identity}], at=now())
            return identity
        with self._journal.reading() as reader:
            held: Mapping[str, Any] = next(reader.records()).payload
        same = json.loads(json.dumps(self._head()))
        different = sorted(name for name, value in same.items() if held.get(name) != value)
        if different:
            message = (
                f"the journal {str(self._journal.path)!r} belongs to a stream with another {', '.join(different)}; "
                "go on with what it was begun with, or name another state folder"
            )
            raise LedgerError(message)
        return str(held["charge"])

    def _outbox(self) -> Outbox:
        grid = required_grid(self.public)
        if self.parquet:
            cells = with_other(self.public.required_universe())
            return ParquetParts(self.out / "parts", grid=grid, cells=cells)
        return JsonLines(self.out / "stream.jsonl", grid=grid)

    def _write_manifest(self, account: Any) -> None:  # noqa: ANN401 - an account
        public = PublicInputs(universe=with_other(self.public.required_universe()), grid=self.public.grid)
        noise = () if account.private else (f"its noise came from {account.noise_source}",)
        guarantee = DifferentialPrivacy(budget=self.budget, neighbours=relation_of(self.method), voids=(*public.voids, *noise))
        manifest = manifest_of(
            kind="stream",
            mechanism=self.method_name,
            parameters=parameters_of(self.method),
            guarantee=guarantee,
            account=account,
            public=public,
            rules=self._rules(),
        )
        draft = self.out / ".manifest.json.partial"
        draft.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        draft.replace(self.out / "manifest.json")

    def _rules(self) -> tuple[str, ...]:
        late = {
            Late.DROP: "events that came after their timestamp was closed were left out",
            Late.ARRIVAL: "events that came after their timestamp was closed were counted when they came",
        }
        clock = {Clock.WALL: "a clock", Clock.EVENTS: "the times of recorded events"}
        return (
            f"timestamps were closed by {clock[self.settings.clock]}, {self.settings.grace} units of the grid after their end",
            late[self.settings.late],
            f"a status that is not among the cells was counted as {OTHER!r}",
            "of several events of one person in one interval the first counted, whatever its status",
        )

    def _refuse_a_clock_that_tells(self, source: Source) -> None:
        """Where presence is private, when a histogram comes out must not depend on whether anybody was there."""
        if self.method.presence is Presence.PUBLIC:
            return
        is_idle = isinstance(source, IteratorSource) or (isinstance(source, FileSource) and not source.follow)
        if self.settings.clock is Clock.EVENTS or is_idle:
            message = (
                "where presence is private, a stream must be closed by a wall clock that ticks without events, since an event "
                "that closes a timestamp shows that somebody is there; use a live source and the wall clock, or `tacita publish`"
            )
            raise ParameterError(message)
