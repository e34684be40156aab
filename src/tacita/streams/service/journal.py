"""The one durable log of a stream: what was spent, what was released, and how far the input was read, in one record.

A record is on the disk before its histogram leaves. Since it holds the answers of all questions, the mechanism is rebuilt from
it without another draw: who was there is recorded by number, new people by their ids, and the recorded answers are given again.
From time to time a checkpoint holds the whole state, so that a restart reads a short tail only. The log is the owner's: it
shows who was there when, and nobody's status.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import numpy.typing as npt

from tacita.arrays import Integers, Places, Reals
from tacita.errors import LedgerDamagedError
from tacita.privacy.budget import Plan
from tacita.privacy.estimates import Interval
from tacita.privacy.questions import Question, rho_of
from tacita.privacy.windows import Tallies
from tacita.streams.questions import Wall
from tacita.streams.service.intake import Waiting
from tacita.streams.service.sources import Offsets

__all__ = ["FORMAT", "Paid", "Recorded", "Released", "Remembered", "Switch", "packed_state", "unpacked_state"]

FORMAT = "tacita-stream-1"

_PIECE = 1 << 20  # bytes

Paid = dict[str, list[tuple[int, Fraction]]]
"""What timestamps of a sliding part had cost."""

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, kw_only=True, eq=False)
class Released:
    """One timestamp as the journal holds it."""

    place: int
    users: Places = field(repr=False)
    new_people: Mapping[str, int] = field(repr=False)
    answers: list[Any] = field(repr=False)
    sixteenths: Integers = field(repr=False)
    interval: Interval | None = field(repr=False)
    deviation: Reals | None = field(repr=False)
    means: Integers | None = field(repr=False)
    measured: bool
    held: int
    cuts: Offsets
    needed: Offsets
    clock: int
    waiting: Waiting

    def payload(self) -> dict[str, object]:
        """The record."""
        return {
            "kind": "release",
            "place": self.place,
            "users": _packed(self.users.astype(np.int64), "<i4"),
            "new": dict(self.new_people),
            "answers": [_plain(answer) for answer in self.answers],
            "counts": _packed(self.sixteenths),
            "interval": None if self.interval is None else [_packed(end) for end in self.interval],
            "deviation": None if self.deviation is None else _packed(self.deviation, "<f4"),
            "means": None if self.means is None else _packed(self.means),
            "measured": self.measured,
            "held": self.held,
            "cuts": self.cuts,
            "needed": self.needed,
            "clock": self.clock,
            "waiting": self.waiting,
        }

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Released:
        """Read a record."""
        interval, deviation = payload["interval"], payload["deviation"]
        return cls(
            place=int(payload["place"]),
            users=_unpacked(payload["users"], "<i4").astype(np.intp),
            new_people=payload["new"],
            answers=[_packed_or_plain(answer) for answer in payload["answers"]],
            sixteenths=_unpacked(payload["counts"]),
            interval=None if interval is None else Interval(*(_unpacked(end) for end in interval)),
            deviation=None if deviation is None else np.frombuffer(base64.b64decode(deviation), dtype="<f4").astype(np.float64),
            means=None if payload["means"] is None else _unpacked(payload["means"]),
            measured=bool(payload["measured"]),
            held=int(payload["held"]),
            cuts=dict(payload["cuts"]),
            needed=dict(payload["needed"]),
            clock=int(payload["clock"]),
            waiting=[(partition, offset, place) for partition, offset, place in payload["waiting"]],
        )


class Remembered:
    """Gives answers that were drawn before, in their order; they have been paid for."""

    def __init__(self, answers: list[Any], paid: Paid, tallies: Tallies) -> None:
        """Give these answers, and note what they had cost."""
        self._answers = iter(answers)
        self._paid, self._tallies = paid, tallies
        self._steps: dict[str, tuple[str, int]] = {}

    def slide(self, step: str, *, tick: int, plan: Plan) -> None:
        """Nothing is paid twice."""
        self._paid[step].append((tick, plan.cost.amount))
        self._steps |= {part.name: (step, tick) for part in plan.steps()}

    def ask(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:  # noqa: ARG002 - whatever the data is now
        """The next answer."""
        within, tick = self._steps.get(question.step, ("", 0))
        self._tallies.add(
            question.step, within=within, tick=tick, price=rho_of(question) or question.epsilon, noise=question.noise
        )
        try:
            answer: AnswerT = next(self._answers)
        except StopIteration:
            message = f"the journal holds no answer to a question about {question.step}: it belongs to another method"
            raise LedgerDamagedError(message) from None
        return answer


class Recorded:
    """Asks an account, and keeps the answers of one timestamp for the journal."""

    def __init__(self, wall: Wall) -> None:
        """Ask this account."""
        self._wall = wall
        self.answers: list[Any] = []

    def slide(self, step: str, *, tick: int, plan: Plan) -> None:
        """Pay for a timestamp."""
        self._wall.slide(step, tick=tick, plan=plan)

    def ask(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Ask and keep."""
        answer = self._wall.ask(question, truth)
        self.answers.append(answer)
        return answer


class Switch:
    """Whoever answers now: the journal while it is replayed, the account from then on."""

    def __init__(self, to: Wall) -> None:
        """Begin with this one."""
        self.to = to

    def slide(self, step: str, *, tick: int, plan: Plan) -> None:
        """Pass it on."""
        self.to.slide(step, tick=tick, plan=plan)

    def ask(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Pass it on."""
        return self.to.ask(question, truth)


def packed_state(state: Mapping[str, npt.NDArray[np.generic]]) -> str:
    """Arrays as one text, compressed piece by piece: as `np.savez_compressed` would, without a copy of each array."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, values in state.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array_header_1_0(entry, np.lib.format.header_data_from_array_1_0(values))
                flat = values.reshape(-1, order="A")
                each = max(1, _PIECE // values.itemsize)
                for start in range(0, flat.size, each):
                    entry.write(flat[start : start + each].tobytes())
    return base64.b64encode(file.getvalue()).decode()


def unpacked_state(text: str) -> dict[str, npt.NDArray[Any]]:
    """The arrays of such a text."""
    with np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _packed(values: npt.NDArray[Any], kind: str = "<i8") -> str:
    return base64.b64encode(values.astype(kind).tobytes()).decode()


def _unpacked(text: str, kind: str = "<i8") -> Integers:
    return np.frombuffer(base64.b64decode(text), dtype=kind).astype(np.int64)


def _plain(answer: object) -> object:
    if isinstance(answer, np.ndarray):
        return _packed(answer)
    return bool(answer) if isinstance(answer, bool | np.bool_) else int(answer)  # type: ignore[call-overload]  # a choice


def _packed_or_plain(answer: object) -> object:
    return _unpacked(answer) if isinstance(answer, str) else answer
