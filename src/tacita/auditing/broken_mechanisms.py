"""Small mechanisms for controls: each counts something and, depending on its parameters, makes a mistake or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import copysign, log1p
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.privacy.account import Account, Charge
from tacita.privacy.budget import Budget, Sequential, Step
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.noise import discrete_laplace
from tacita.privacy.paths import Blocks, Kept, Paths, Terms
from tacita.privacy.questions import noisy_cells, stable_lists
from tacita.privacy.randomness import SecureSource
from tacita.sequences import SequenceRecords
from tacita.sets import BasketRecords

__all__ = [
    "LONGEST",
    "Counting",
    "Folder",
    "first_symbols",
    "floating_point_laplace",
    "integer_laplace",
    "levels_by_records",
    "noisy_counts",
    "observed_unigrams",
    "one_of_all",
    "one_of_ten",
    "symbols_along_paths",
    "tie_by_insertion",
    "true_counts",
    "two_levels",
    "unigrams",
    "unigrams_and_ends",
    "whole_baskets",
    "without_rare",
]


LONGEST = 3
"""The longest sequence that controls are tried on."""


@dataclass(frozen=True)
class Folder:
    """A release of lists that can write itself, together with whatever else is put beside them."""

    data: Any
    beside: Mapping[str, str]
    guarantee: str = ""

    def write(self, folder: Path) -> None:
        """Write the lists, and every extra text into a file of its own."""
        folder.mkdir()
        (folder / "lists.txt").write_text(str(self.data.sequences.to_lists()), encoding="utf-8")
        for name, text in self.beside.items():
            (folder / name).write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Counting:
    """A mechanism that counts something in one or more steps, as `ask` does, and publishes the answers.

    What is written `beside` them, or `promised`, is a function of the records and the published lists. A mechanism that does not
    charge `whole_people` charges each person for one record, however many they have.
    """

    ask: Callable[[Any, Account], list[list[int]]]
    shares: tuple[Fraction, ...] = (Fraction(1),)
    beside: Callable[[Any, list[list[int]]], Mapping[str, str]] = lambda _records, _rows: {}
    promised: Callable[[Any], str] = lambda _records: "one record"
    whole_people: bool = True

    def publish(self, records: Any, /, *, budget: Budget, ledger: OpensAccounts) -> Any:  # noqa: ANN401 - a stand-in for a release
        """Publish the answers as lists, whatever the kind of the records."""
        steps = tuple(
            Step(name=f"step {place}", epsilon=budget.epsilon * share, delta=budget.delta * share)
            for place, share in enumerate(self.shares)
        )
        charge = Charge(
            dataset="audit",
            mechanism="control",
            plan=Sequential(name="all", parts=steps),
            records_per_person=records.records_per_person if self.whole_people else 1,
        )
        with ledger.open(charge) as account:
            rows = self.ask(records, account)
        lists = Ragged.from_lists(rows)
        data = SimpleNamespace(sequences=lists, baskets=lists)
        return Folder(data=data, beside=self.beside(records, rows), guarantee=self.promised(records))


def _noisy(account: Account, step: str, counts: np.ndarray[Any, Any], *, sensitivity: int = 1) -> list[list[int]]:
    """Add noise to all cells of a histogram and publish the kept ones as (cell, value)."""
    keys = np.flatnonzero(counts).astype(np.int64)
    values = counts[keys].astype(np.int64)
    kept = noisy_cells(account, step, keys=keys, counts=values, domain=counts.size, threshold=1, sensitivity=sensitivity)
    return [list(cell) for cell in zip(kept.keys.tolist(), kept.values.tolist(), strict=True)]


def _occurrences(records: SequenceRecords, cells: int) -> np.ndarray[Any, Any]:
    return np.bincount(records.sequences.codes, minlength=cells)


def unigrams(records: SequenceRecords, account: Account, *, sensitivity: int) -> list[list[int]]:
    """How often each symbol occurs."""
    return _noisy(account, "step 0", _occurrences(records, len(records.universe)), sensitivity=sensitivity)


def unigrams_and_ends(records: SequenceRecords, account: Account, *, sensitivity: int) -> list[list[int]]:
    """Unigrams including the end symbol; their sensitivity is the longest length plus one."""
    counts = _occurrences(records, len(records.universe) + 1)
    counts[-1] = len(records.sequences)
    return _noisy(account, "step 0", counts, sensitivity=sensitivity)


def two_levels(records: SequenceRecords, account: Account, *, sensitivity: int) -> list[list[int]]:
    """How often each symbol occurs and, in a step of its own, how often each symbol follows a kept one.

    The mistake is in the noise of the second step, where `sensitivity` is the number of counts a sequence is claimed to change.
    """
    symbols = len(records.universe)
    first = _noisy(account, "step 0", _occurrences(records, symbols), sensitivity=LONGEST)
    kept = [cell for cell, _ in first]
    return first + _noisy(account, "step 1", _followers(records, symbols)[kept].reshape(-1), sensitivity=sensitivity)


def levels_by_records(records: SequenceRecords, account: Account, *, many: int | None) -> list[list[int]]:
    """One level of grams, or two if there are `many` records: a height that depends on the true number of records."""
    symbols = len(records.universe)
    levels = 1 if many is not None and len(records.sequences) < many else 2
    first = _noisy(account, "step 0", _occurrences(records, symbols), sensitivity=LONGEST)
    if levels == 1:
        return first
    return first + _noisy(account, "step 1", _followers(records, symbols).reshape(-1), sensitivity=LONGEST)


def without_rare(records: SequenceRecords, account: Account, *, many: int | None) -> list[list[int]]:
    """Unigrams; if there are `many` records, those with a low noisy count are left out."""
    found = unigrams(records, account, sensitivity=LONGEST)
    is_filtered = many is not None and len(records.sequences) >= many
    return [cell for cell in found if not is_filtered or cell[1] >= 100]


def true_counts(records: SequenceRecords, _rows: list[list[int]]) -> Mapping[str, str]:
    """What must not be beside a release: how often each symbol occurs, without noise."""
    return {"counts.csv": "\n".join(map(str, _occurrences(records, len(records.universe)).tolist()))}


def noisy_counts(_records: SequenceRecords, rows: list[list[int]]) -> Mapping[str, str]:
    """What may be beside a release: what was published anyway."""
    return {"counts.csv": "\n".join(map(str, rows))}


def one_of_all(records: SequenceRecords) -> str:
    """The unit of a guarantee, with the true number of records in it."""
    return f"one of {len(records.sequences)} records"


def observed_unigrams(records: SequenceRecords, account: Account) -> list[list[int]]:
    """How often each symbol that occurs does so."""
    seen = np.unique(records.sequences.codes)
    return _noisy(account, "step 0", _occurrences(records, len(records.universe))[seen], sensitivity=LONGEST)


def one_of_ten(records: SequenceRecords, account: Account, *, by_truth: bool) -> list[list[int]]:
    """Ten noisy totals, each paid for; choosing the one closest to the truth is not."""
    truth = len(records.sequences)
    tries = [_noisy(account, f"step {place}", np.array([truth])) for place in range(10)]
    best = min(tries, key=lambda made: abs(sum(value for _, value in made) - truth)) if by_truth else tries[0]
    return best or [[0, 0]]


def first_symbols(records: SequenceRecords, account: Account) -> list[list[int]]:
    """Counts of first symbols, published in the order in which the account returns them."""
    starts = records.sequences.offsets[:-1][records.sequences.lengths > 0]
    counts = np.bincount(records.sequences.codes[starts], minlength=len(records.universe))
    return _noisy(account, "step 0", counts)


def tie_by_insertion(records: SequenceRecords, account: Account) -> list[list[int]]:
    """Counts of first symbols are halved and rounded so that their sum is kept; position decides who gets the odd one."""
    cells = first_symbols(records, account)
    left = sum(value for _, value in cells) // 2 - sum(value // 2 for _, value in cells)
    rounded = []
    for key, value in cells:
        odd = value % 2 and left > 0
        left -= 1 if odd else 0
        rounded.append([key, value // 2 + (1 if odd else 0)])
    return sorted(rounded)


def symbols_along_paths(records: SequenceRecords, account: Account, *, starts: int, follow: bool = True) -> list[list[int]]:
    """How often each symbol occurs and, below each kept one, how often each symbol follows it, or merely occurs.

    A record starts a path at each of its symbols, so the budget must allow that many starts; and below a symbol only what follows
    it may be counted, because the record has entered that branch no more often than that.
    """
    paths, symbols = account.paths("step 0", starts=starts), len(records.universe)
    occur = _occurrences(records, symbols)
    first = _ask_each(paths, np.zeros(1, dtype=np.int64), occur[np.newaxis])
    if not first.nodes.size:
        return []
    below = _followers(records, symbols)[first.cells] if follow else np.tile(occur, (first.nodes.size, 1))
    second = _ask_each(paths, first.nodes, below)
    return [
        *([cell, value] for cell, value in zip(first.cells.tolist(), first.values.tolist(), strict=True)),
        *(
            [int(first.cells[block]), cell, value]
            for block, cell, value in zip(second.blocks, second.cells.tolist(), second.values.tolist(), strict=True)
        ),
    ]


def _ask_each(paths: Paths, nodes: Integers, counts: Integers) -> Kept:
    """Ask for one block of cells, a row of counts, at each node, with half of the budget."""
    places, cells = (place.astype(np.int64) for place in np.nonzero(counts))
    blocks = Blocks(
        nodes=nodes,
        sizes=np.full(nodes.size, counts.shape[1], dtype=np.int64),
        terms=np.zeros(nodes.size, dtype=np.int64),
        table=(Terms(epsilon=paths.epsilon / 2, threshold=1),),
    )
    return paths.ask(blocks, places=places, cells=cells, counts=counts[places, cells].astype(np.int64))


def _followers(records: SequenceRecords, symbols: int) -> Integers:
    """How often each symbol directly follows each other one."""
    table = np.zeros((symbols, symbols), dtype=np.int64)
    codes = records.sequences.codes
    inside = np.ones(codes.size, dtype=np.bool_)
    ends = records.sequences.offsets[1:][records.sequences.lengths > 0]
    inside[ends - 1] = False  # what follows the last symbol of a sequence belongs to another sequence
    np.add.at(table, (codes[:-1][inside[:-1]], codes[1:][inside[:-1]]), 1)
    return table


def whole_baskets(records: BasketRecords, account: Account, *, hidden: int) -> list[list[int]]:
    """Baskets that somebody has, above a threshold that hides that many people; hiding nobody makes it one too low."""
    lists, counts = records.counts().different(symbols=len(records.universe))
    kept = stable_lists(account, "step 0", lists=lists, counts=counts + (1 - hidden))
    return [[*basket, value] for basket, value in zip(kept.lists.to_lists(), kept.values.tolist(), strict=True)]


def floating_point_laplace(count: int, _number: int) -> float:
    """A count plus Laplace noise of scale 1, computed the usual way from a uniform double."""
    uniform = int.from_bytes(SecureSource().take(8), "little") / 2**64 - 0.5
    return count - copysign(1, uniform) * log1p(-2 * abs(uniform))


def integer_laplace(count: int, _number: int) -> int:
    """The same with the product's noise."""
    return count + int(discrete_laplace(1, rate=Fraction(1), source=SecureSource())[0])
