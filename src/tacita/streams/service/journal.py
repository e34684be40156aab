"""The one durable log of a stream: what was spent, what was released, and how far the input was read, in one record.

A record is on the disk before its histogram leaves. Since it holds the answers of all questions, the mechanism is rebuilt from
it without another draw: who was there is recorded by number, and the recorded answers are given again. From time to time a
checkpoint holds the whole state, so that a restart reads a short tail only. The log is the owner's: it shows who was there
when, and nobody's status.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.streams.questions import ClosestQuestion, HistogramQuestion, NearnessQuestion
from tacita.streams.service.sources import Offsets

__all__ = ["FORMAT", "Released", "Remembered", "packed_state", "unpacked_state"]

FORMAT = "tacita-stream-1"


@dataclass(frozen=True, kw_only=True, eq=False)
class Released:
    """One timestamp as the journal holds it."""

    place: int
    people: list[str] = field(repr=False)
    answers: list[Any] = field(repr=False)
    sixteenths: npt.NDArray[np.int64] = field(repr=False)
    measured: bool
    held: int
    cuts: Offsets
    needed: Offsets

    def payload(self) -> dict[str, object]:
        """The record."""
        return {
            "kind": "release",
            "place": self.place,
            "people": self.people,
            "answers": [_plain(answer) for answer in self.answers],
            "counts": _packed(self.sixteenths),
            "measured": self.measured,
            "held": self.held,
            "cuts": self.cuts,
            "needed": self.needed,
        }

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Released:
        """Read a record."""
        return cls(
            place=int(payload["place"]),
            people=list(payload["people"]),
            answers=[_packed_or_plain(answer) for answer in payload["answers"]],
            sixteenths=_unpacked(payload["counts"]),
            measured=bool(payload["measured"]),
            held=int(payload["held"]),
            cuts=dict(payload["cuts"]),
            needed=dict(payload["needed"]),
        )


class Remembered:
    """Answers that were drawn before, in their order; asked for more, or for others, it refuses."""

    def __init__(self, answers: list[Any]) -> None:
        """Give these answers."""
        self._answers = iter(answers)

    def __call__(self, question: HistogramQuestion | ClosestQuestion | NearnessQuestion, truth: object) -> Any:  # noqa: ANN401, ARG002
        """The next answer."""
        return next(self._answers)


def packed_state(state: Mapping[str, npt.NDArray[np.generic]]) -> str:
    """Arrays as one text, compressed."""
    file = io.BytesIO()
    np.savez_compressed(file, **state)  # type: ignore[arg-type]  # names of arrays are no options of it
    return base64.b64encode(file.getvalue()).decode()


def unpacked_state(text: str) -> dict[str, npt.NDArray[Any]]:
    """The arrays of such a text."""
    with np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _packed(values: npt.NDArray[np.int64]) -> str:
    return base64.b64encode(values.astype("<i8").tobytes()).decode()


def _unpacked(text: str) -> npt.NDArray[np.int64]:
    return np.frombuffer(base64.b64decode(text), dtype="<i8").astype(np.int64)


def _plain(answer: object) -> object:
    if isinstance(answer, np.ndarray):
        return _packed(answer)
    return bool(answer) if isinstance(answer, bool | np.bool_) else int(answer)  # type: ignore[call-overload]  # a choice


def _packed_or_plain(answer: object) -> object:
    return _unpacked(answer) if isinstance(answer, str) else answer
