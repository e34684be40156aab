"""The ledger: what was spent on which data set, and what the owner allows.

A ledger is a log to which entries are only added: caps that the owner sets, charges, the draws made under a charge, and how the
charge ended. A charge, the whole cost of a publication, is committed before any noise is drawn. A crash can therefore waste
budget but never hide a spend. Costs add up per data set and per unit that is protected: epsilon and delta side by side by basic
composition, and rho; what all of it means together is in `books`. With a path the log is a file that any number of publishers may
share; without one it is kept in memory, and the manifest says so.

A charge whose plan slides lasts: it is paid once, stays open when its account is left, and is taken up again by `resume`, also
by another process after a crash.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from fractions import Fraction
from math import isqrt
from pathlib import Path
from stat import S_ISREG
from typing import Protocol

from tacita.errors import LedgerError, LedgerExhaustedError
from tacita.pictures import notebook
from tacita.pictures.picture import html_table
from tacita.privacy.account import Account, Charge, Draw
from tacita.privacy.answers import Answers, Drawing, Recording, Transcript
from tacita.privacy.budget import ApproxDP, Budget, Cost, Plan, PureDP, ZeroConcentrated, plan_as_json, plan_of
from tacita.privacy.ledger.binding import Binding, Claim, FileBinding, MemoryBinding, Noted, Told, binding_path
from tacita.privacy.ledger.books import Balance, Books, OpenCharge, cap_amounts
from tacita.privacy.ledger.entries import PERSON, Entry, EntryKind, check_name, keys, meaning, now
from tacita.privacy.ledger.marks import Mark, read_mark
from tacita.privacy.ledger.store import Checked, FileStore, MemoryStore, Store
from tacita.privacy.randomness import SecureSource, Source, describe, is_private, token
from tacita.public.parameters import instance_of, path_of

__all__ = ["Ledger", "OpensAccounts", "require_ledger_folder"]


class OpensAccounts(Protocol):
    """A ledger, or what stands in for one in an audit."""

    def open(self, charge: Charge) -> AbstractContextManager[Account]:
        """Charge the whole cost, then hand out the account to draw from."""
        ...


class Ledger:
    """The owner's record of spends, in a file or in memory.

    >>> from tacita.privacy.budget import PureDP
    >>> ledger = Ledger()
    >>> ledger.set_cap("taps", PureDP("2"))
    >>> ledger.balance("TAPS").cap_epsilon
    Fraction(2, 1)
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        source: Source | None = None,
        transcript: Transcript | None = None,
        wait_seconds: float = 30,
        new_datasets: bool = False,
    ) -> None:
        """Name a file that exists (`create` makes one), or none for a ledger in memory.

        A ledger that holds caps refuses data sets that have none, unless `new_datasets` are allowed. A transcript, if given,
        records every question and answer.
        """
        self.path = None if path is None else path_of(path, name="the file of a ledger")
        self._store = _store(self.path, wait_seconds)
        self._source = SecureSource() if source is None else source
        self._transcript = transcript
        self._new_datasets = new_datasets
        self._notes: dict[str, Noted] = {}
        self.has_drawn = False
        """Whether something was drawn through this object: from then on, a publication that stops has cost its budget."""
        self.make_room: Callable[[], bool] | None = None
        """Makes room on the disk for a draw that cannot be recorded, and says whether it did; the draw is then tried again."""

    def __repr__(self) -> str:
        """Where it is; what it holds may change while one looks."""
        return "Ledger()" if self.path is None else f"Ledger({str(self.path)!r})"

    def _repr_html_(self) -> str:
        """The balances as a table and a picture, for notebooks."""
        from tacita.privacy.pictures import spent_picture  # noqa: PLC0415 - a publication draws nothing

        balances = self.balances()
        rows = [
            (
                ", ".join(balance.datasets),
                balance.unit,
                str(balance.total.cost),
                "none" if balance.cap is None else str(balance.cap),
            )
            for balance in balances
        ]
        table = html_table(repr(self), ("data set", "unit", "spent", "cap"), rows)
        return notebook([spent_picture(balances)] if balances else [], before=table)

    @classmethod
    def create(cls, path: str | Path, *, exist_ok: bool = False, wait_seconds: float = 30, new_datasets: bool = False) -> Ledger:
        """Make a new file, and open it; one that exists is refused, or opened if that is `exist_ok`."""
        try:
            FileStore(path_of(path, name="the file of a ledger")).create()
        except FileExistsError:
            if not exist_ok:
                message = f"the ledger {str(path)!r} cannot be created: it exists"
                raise LedgerError(message) from None
        return cls(path, wait_seconds=wait_seconds, new_datasets=new_datasets)

    def set_cap(self, dataset: str, cap: Budget, *, unit: str = PERSON, identity: str | None = None) -> None:
        """Set what may be spent on a data set in all; the latest cap holds, and the history keeps every one.

        `identity` is what the owner declares the data to be, such as "ticket gates of Lyon, 2024". Data sets of one identity
        share one cap. It is public, and never computed from the data.
        """
        check_name(dataset)
        check_name(unit, what="a unit")
        instance_of(cap, PureDP, ApproxDP, ZeroConcentrated, name="a cap")
        if identity is not None:
            check_name(identity, what="an identity")

        def decide(books: Books) -> list[Entry]:
            _check_identity(books, dataset, identity)
            return [entry]

        epsilon, delta, rho = cap_amounts(cap)
        entry = Entry(
            kind=EntryKind.CAP,
            dataset=dataset,
            at=now(),
            unit=unit,
            identity=identity or "",
            epsilon=epsilon,
            delta=delta,
            rho=rho,
        )
        self._store.transact(decide)

    def balance(self, dataset: str, *, unit: str = PERSON) -> Balance:
        """What was spent on a data set so far, and its cap."""
        check_name(dataset)
        check_name(unit, what="a unit")
        return self._balance(self._store.books(), dataset, unit)

    def balances(self) -> list[Balance]:
        """What was spent, for every data set and unit."""
        return self._store.books().balances()

    def history(self) -> list[Entry]:
        """All entries, oldest first; everything is checked."""
        return self._store.read()

    def verify(self) -> Checked:
        """Check everything from the first entry to the last."""
        return self._store.verify()

    def digest_of(self, number: int) -> str | None:
        """The digest of one entry, checkpoints included, or None if the ledger has none of that number."""
        return self._store.digest_of(number)

    def mark(self) -> Mark | None:
        """The high-water mark beside the file, to be noted down elsewhere; None if there is none."""
        return None if self.path is None else read_mark(self.path)

    def note_verified(self, dataset: str, mechanism: str, *, guarantee: str, unit: str = PERSON) -> None:
        """Note a publication that was verified and costs no budget, with its guarantee in one sentence."""
        check_name(dataset)
        entry = Entry(kind=EntryKind.VERIFIED, dataset=dataset, at=now(), mechanism=mechanism, note=guarantee, unit=unit)
        self._store.transact(lambda books: [entry] if books.resolve(dataset) else [])

    def note_release(self, dataset: str, digest: str, *, charge: str = "") -> bool:
        """Note the digest of a release folder, and the charge that it belongs to; return whether a file holds what was paid for.

        It is noted once the folder is complete. A ledger that cannot be written to must not cost the owner a release that is
        paid for: the folder appears, and `tacita verify --ledger` says that it was not noted.
        """
        check_name(dataset)
        entry = Entry(kind=EntryKind.RELEASE, dataset=dataset, at=now(), charge=charge, note=digest)
        try:
            self._store.transact(lambda _: [entry])
        except LedgerError:
            return False
        return self.path is not None and bool(charge)

    @contextmanager
    def open(self, charge: Charge) -> Iterator[Account]:
        """Commit the whole cost of a publication, or refuse it, then hand out the account to draw from.

        A publication that fails before its first draw is voided: nothing was learnt, so nothing is spent. A charge that lasts
        stays open.
        """
        instance_of(charge, Charge, name="what is to be charged")
        check_name(charge.dataset)
        identity = self._commit_charge(charge)
        account = self._account(charge, identity)
        try:
            yield account
        except BaseException:
            if not account.has_drawn:
                self._note_end(EntryKind.VOID, charge, identity)
            raise
        finally:
            account.closed = True
        if not charge.lasts:
            self._note_end(EntryKind.FINISHED, charge, identity)

    @contextmanager
    def resume(self, charge_id: str) -> Iterator[Account]:
        """Take up a charge that lasts: nothing more is charged, and what was drawn under it counts."""
        opened = _opened(self._store.books(), charge_id)
        if not opened.plan:
            message = f"charge {charge_id[:8]} is for one publication; only one whose plan slides can be taken up again"
            raise LedgerError(message)
        plan = plan_of(json.loads(opened.plan))
        units = _units(opened.cost, plan)
        charge = Charge(
            dataset=opened.dataset,
            mechanism=opened.mechanism,
            plan=plan,
            records_per_person=units.numerator,
            unit=opened.unit,
            units_together=units.denominator,
        )
        account = self._account(charge, charge_id)
        account.take_up(list(opened.steps), opened.ticks)
        try:
            yield account
        finally:
            account.closed = True

    def binding(self, charge_id: str) -> Binding:
        """What holds the journal of a charge that lasts to be the only one; see `binding`."""
        if self.path is None:
            return MemoryBinding(charge_id, self._notes)
        return FileBinding(
            binding_path(self.path, charge_id),
            claim=lambda claim: self._commit_claim(charge_id, claim),
            tell=lambda noted: self._commit_progress(charge_id, noted),
            holds=lambda told: self.digest_of(told[0]) == told[1],
        )

    def finish(self, charge_id: str) -> None:
        """End a charge that lasts; nothing can be drawn under it any more."""

        def decide(books: Books) -> list[Entry]:
            opened = _opened(books, charge_id)
            return [Entry(kind=EntryKind.FINISHED, dataset=opened.dataset, at=now(), charge=charge_id)]

        self._store.transact(decide)

    def _commit_claim(self, charge_id: str, claim: Claim) -> None:
        """Write into the log itself which file holds the journal of a charge, or refuse it."""

        def decide(books: Books) -> list[Entry]:
            opened = _opened(books, charge_id)
            refusal = claim.refused_by(opened.journal, opened.progress)
            if refusal is not None:
                raise LedgerError(refusal)
            entry = Entry(kind=EntryKind.JOURNAL, dataset=opened.dataset, at=now(), charge=charge_id, note=claim.file)
            return [] if opened.journal == claim.file else [entry]

        self._store.transact(decide)

    def _commit_progress(self, charge_id: str, noted: Noted) -> Told:
        """Write into the log itself how far the journal of a charge has come."""

        def decide(books: Books) -> list[Entry]:
            dataset = _opened(books, charge_id).dataset
            return [Entry(kind=EntryKind.PROGRESS, dataset=dataset, at=now(), charge=charge_id, note=noted.progress)]

        written = self._store.transact(decide)[0]
        return written.number, written.digest

    def _account(self, charge: Charge, identity: str) -> Account:
        return Account(
            charge=charge,
            charge_id=identity,
            private=is_private(self._source),
            noise_source=describe(self._source),
            ledger_kind="memory" if self.path is None else "file",
            answers=self._answers(),
            commit=lambda draw: self._commit_draw(charge, identity, draw),
            trace=lambda digest: self.note_release(charge.dataset, digest, charge=identity),
        )

    def _commit_draw(self, charge: Charge, identity: str, draw: Draw) -> None:
        entry = Entry(
            kind=EntryKind.DRAW if draw.tick is None else EntryKind.TICK,
            dataset=charge.dataset,
            at=now(),
            charge=identity,
            step=draw.step,
            tick=draw.tick,
            epsilon=draw.epsilon,
            delta=draw.delta,
            rho=draw.rho,
        )

        def decide(books: Books) -> list[Entry]:
            opened = _opened(books, identity, step=draw.step)
            if draw.tick is None:
                opened.check_draw(draw.step)
            else:
                opened.check_tick(draw.step, draw.tick, entry.cost)
            return [entry]

        try:
            self._store.transact(decide)
        except LedgerError:
            if self.make_room is None or not self.make_room():
                raise
            self._store.transact(decide)
        self.has_drawn = True

    def _note_end(self, kind: EntryKind, charge: Charge, identity: str) -> None:
        """Write down how a charge ended. It counts as spent until then, so failing here must not cost the owner a release."""
        with suppress(LedgerError):
            entry = Entry(kind=kind, dataset=charge.dataset, at=now(), charge=identity)
            self._store.transact(lambda _: [entry])

    def _commit_charge(self, charge: Charge) -> str:
        entry = Entry(
            kind=EntryKind.CHARGE,
            dataset=charge.dataset,
            at=now(),
            charge=token(),
            mechanism=charge.mechanism,
            unit=charge.unit,
            plan=json.dumps(plan_as_json(charge.plan)) if charge.lasts else "",
            epsilon=charge.epsilon,
            delta=charge.delta,
            rho=charge.rho,
        )

        def decide(books: Books) -> list[Entry]:
            refusal = self._balance(books, charge.dataset, charge.unit).refuses(charge.cost)
            if refusal:
                raise LedgerExhaustedError(refusal)
            return [entry]

        self._store.transact(decide)
        return entry.charge

    def _balance(self, books: Books, dataset: str, unit: str) -> Balance:
        return books.balance(dataset, unit, new_datasets=self._new_datasets)

    def _answers(self) -> Answers:
        drawing = Drawing(self._source)
        return drawing if self._transcript is None else Recording(drawing, self._transcript)


def require_ledger_folder(path: str | Path) -> None:
    """Refuse a place where no ledger can be created, before anything else is done."""
    folder = Path(path).absolute().parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        message = f"the ledger {str(path)!r} cannot be created: its folder must exist and be writable"
        raise LedgerError(message)


def _store(path: Path | None, wait_seconds: float) -> Store:
    """Where the entries are; a file that does not exist is refused, because a mistyped name must not make an empty ledger."""
    if path is None:
        return MemoryStore()
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise meaning(error, path, "ledger") from None
    if not S_ISREG(mode):  # a pipe would be waited for, a device would forget
        message = f"the ledger {str(path)!r} cannot be used: it is not a regular file"
        raise LedgerError(message)
    return FileStore(path, wait_seconds=wait_seconds)


def _units(cost: Cost, plan: Plan) -> Fraction:
    """How many times the price of a plan one unit was charged; a rho goes with the square of that."""
    if not plan.rho:
        return cost.epsilon / plan.epsilon
    squared = cost.rho / plan.rho
    return Fraction(isqrt(squared.numerator), isqrt(squared.denominator))


def _opened(books: Books, charge_id: str, *, step: str | None = None) -> OpenCharge:
    """An open charge; refuses one that the ledger does not hold, or that has ended."""
    instance_of(charge_id, str, name="the identity of a charge")
    if charge_id in books.open:
        return books.open[charge_id]
    if step is None:
        message = f"charge {charge_id[:8]} must be open to be used, but the ledger holds none of that name, or it has ended"
    else:
        message = f"step {step!r} must be drawn under an open charge, but the ledger holds none; was the file replaced?"
    raise LedgerError(message)


def _check_identity(books: Books, dataset: str, identity: str | None) -> None:
    """Refuse to declare a data set to be something else than before: its spends would leave those that it shares a cap with."""
    known = books.identities.get(books.resolve(dataset))
    if identity is not None and known is not None and known[0] != keys(identity)[1]:
        message = f"data set {dataset!r} was declared to be {known[1]!r}, and cannot become {identity!r}"
        raise LedgerError(message)
