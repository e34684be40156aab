"""Sections of a report: the guarantee in plain words and where the budget went, and the figures of any measure as tables.

The guarantee is what epsilon means for one person, with odds, or what was verified. It and the budget are rendered from a
manifest alone; the tables hold whatever figures they are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, exp
from typing import Any

from tacita.pictures import Cell, Section, Table
from tacita.pictures.ranked import people_grid
from tacita.privacy.pictures import plan_picture

__all__ = ["Promise", "budget_section", "most_guessed", "promise_of", "rounded_up", "surest", "tables_of", "words_of"]


# Figures as tables: whatever a measure gives as JSON, of any kind of data.

LEFT_OUT = ("warning",)
MOST_VALUES = 24


def tables_of(title: str, figures: Mapping[str, Any]) -> list[Table]:
    """One table for all single figures, and one for each list or mapping of them.

    >>> [table.caption for table in tables_of("kept", {"rows": 3, "queries": [{"length": 1, "error": 0.5}]})]
    ['kept', 'kept: queries']
    """
    single: list[tuple[Cell, ...]] = []
    found: list[Table] = []
    for name, value in figures.items():
        words = _words(name)
        if name in LEFT_OUT or value is None:
            continue
        if isinstance(value, Mapping) and value and all(not isinstance(each, Mapping | list) for each in value.values()):
            single += [(f"{words}, {_words(key)}", _cell(each)) for key, each in value.items() if key not in LEFT_OUT]
        elif isinstance(value, Mapping):
            found += _mapping(f"{title}: {words}", value)
        elif isinstance(value, list):
            found += list(_rows(f"{title}: {words}", value))
        else:
            single.append((words, _cell(value)))
    return ([Table(caption=title, columns=("figure", "value"), rows=tuple(single))] if single else []) + found


def _mapping(caption: str, value: Mapping[str, Any]) -> list[Table]:
    """Rows by name if all have the same parts, else a table for each part."""
    parts = list(value.values())
    if parts and all(isinstance(each, Mapping) and list(each) == list(parts[0]) for each in parts):
        flat = all(not isinstance(cell, Mapping | list) for each in parts for cell in each.values())
        if flat:
            rows = tuple((_words(name), *(_cell(cell) for cell in each.values())) for name, each in value.items())
            return [Table(caption=caption, columns=("", *(_words(key) for key in parts[0])), rows=rows)]
    return tables_of(caption, value)


def _rows(caption: str, value: Sequence[Any]) -> Iterator[Table]:
    if not value:
        return
    if not all(isinstance(each, Mapping) for each in value):
        numbered = tuple((place, _cell(each)) for place, each in enumerate(value[:MOST_VALUES], start=1))
        more = f", the first {MOST_VALUES} of {len(value):,}" if len(value) > MOST_VALUES else ""
        yield Table(caption=caption + more, columns=("place", "value"), rows=numbered)
        return
    columns = [key for key in value[0] if not _is_table(value[0][key]) and any(each.get(key) not in (None, []) for each in value)]
    if len(columns) > 1:
        rows = tuple(tuple(_cell(each.get(key)) for key in columns) for each in value)
        yield Table(caption=caption, columns=tuple(_words(key) for key in columns), rows=rows)
    for each in value:
        for key in each:
            if _is_table(each[key]):
                name = str(next((each[key] for key in columns), ""))
                yield from _rows(f"{caption}, {name}: {_words(key)}", each[key])


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def words_of(value: object) -> str:
    """A parameter as people read it.

    >>> words_of(["a", 2]), words_of(True), words_of({"model": "k-anonymity", "k": 5})
    ('a; 2', 'yes', 'model k-anonymity, k 5')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{_words(str(name))} {words_of(each)}" for name, each in value.items() if each is not None)
    if isinstance(value, list):
        return "; ".join(map(words_of, value))
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, str | int | float):
        return str(value) if isinstance(value, bool) else value
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    return str(value)


MOST_DRAWS = 60
TITLE = "What is promised"
MANY = (
    "It does not hide what is true of many people alike: that smokers fall ill can be learnt from a release that one smoker is "
    "not in. It covers this release; others about the same data add up."
)
LITTLE, SOMEWHAT = 1.0, 3.0
"""Up to which epsilon a release hardly changes, or somewhat changes, what can be learnt."""


def surest(before: float, epsilon: float) -> float:
    """How sure somebody can be at most who was `before` sure and sees the release: odds grow by e^epsilon at most.

    >>> round(surest(0.5, 1.0), 4)
    0.7311
    """
    odds = exp(min(epsilon, 700.0)) * before
    return odds / (odds + 1 - before)


def most_guessed(epsilon: float, delta: float) -> float:
    """How often the better of two equally likely possibilities is guessed at most (Kairouz, Oh and Viswanath, ICML 2015)."""
    likelier = exp(min(epsilon, 700.0))
    return (likelier + delta) / (likelier + 1)


def rounded_up(share: float) -> int:
    """A share as whole per cent, rounded up, so that what is said at most is at most said; never 100 for what is less.

    >>> rounded_up(0.7311), rounded_up(0.73), rounded_up(0.9999)
    (74, 73, 100)
    """
    return ceil(100 * share - 1e-9)


@dataclass(frozen=True, kw_only=True)
class Promise:
    """A guarantee as a page shows it: one sentence, what it means in odds, and what it does not say."""

    tagline: str
    odds: str
    sure: str
    """How sure, as it stands within the odds in bold; nothing if there are no odds."""
    after: str
    limits: Sequence[str]
    chips: Sequence[tuple[str, str]]
    """Grades and words, of what was verified."""
    added: int | None
    """How many of a hundred guesses the release adds at most."""
    tables: Sequence[Table] = ()

    @property
    def people(self) -> str:
        """A hundred guesses as a drawing."""
        return "" if self.added is None else people_grid(50, self.added)

    def as_section(self) -> Section:
        """The same as text, for scripts."""
        odds = f"{self.odds}{self.sure}{self.after}"
        return Section(title=TITLE, paragraphs=[self.tagline, odds, *self.limits], tables=self.tables)


def promise_of(guarantee: Mapping[str, Any]) -> Promise:
    """What holds, for whom, and what it means; rendered from the guarantee alone."""
    broken = [] if guarantee["holds"] else ["Nothing here holds for this release: " + "; ".join(guarantee["voids"]) + "."]
    if "epsilon" not in guarantee:
        return _verified(guarantee, broken)
    epsilon, delta = float(Fraction(guarantee["epsilon"])), float(Fraction(guarantee.get("delta", "0")))
    unit = guarantee["neighbours"].get("unit", "one record")
    how = "hardly changes" if epsilon <= LITTLE else "changes somewhat" if epsilon <= SOMEWHAT else "can change a lot"
    comes = "adding" in guarantee["statement"]
    sure = most_guessed(epsilon, delta) if delta else surest(0.5, epsilon)
    unit, _, aside = unit.partition(" (")
    limits = [*broken, *([f"What counts is {unit}: {aside.removesuffix(')')}."] if aside else []), MANY]
    if delta:
        limits.append(f"Beyond a probability of {guarantee['delta']} (delta), nothing is promised.")
    return Promise(
        tagline=f"{'Whether ' + unit + ' is in the data' if comes else 'Changing ' + unit} {how} what anyone can learn.",
        odds=f"Somebody who thinks it 50 to 50 whether {unit} is as they suspect can be at most ",
        sure=f"{rounded_up(sure)} % sure",
        after=" after reading the release, whatever else they know, now or later.",
        limits=limits,
        chips=() if guarantee["holds"] else (("bad", "does not hold"),),
        added=min(rounded_up(sure), 100) - 50,
    )


def _verified(guarantee: Mapping[str, Any], broken: Sequence[str]) -> Promise:
    evidence = guarantee["evidence"]
    check = f"{evidence.get('check', 'the guarantee')} (by {evidence.get('by', 'code that shares nothing with what made it')})"
    tagline, _, rest = guarantee["statement"].partition(". ")
    return Promise(
        tagline=tagline.rstrip(".") + ".",
        odds=f"This was checked on the finished data before anything was written: {check}. ",
        sure="",
        after="No noise was drawn and no budget was spent.",
        limits=[*broken, *([rest] if rest else [])],
        chips=(("good", "verified"), ("care", "no differential privacy")) if guarantee["holds"] else (("bad", "does not hold"),),
        added=None,
        tables=(_parameters(guarantee),),
    )


def _parameters(guarantee: Mapping[str, Any]) -> Table:
    known = ("definition", "holds", "voids", "evidence", "statement")
    found = {name: value for name, value in guarantee.items() if name not in known and value not in (None, [])}
    rows = tuple((name.replace("_", " "), words_of(value)) for name, value in found.items())
    return Table(
        caption="What was verified", columns=("parameter", "value"), rows=rows or (("definition", guarantee["definition"]),)
    )


def budget_section(manifest: Mapping[str, Any]) -> Section | None:
    """Where the budget went, if one was spent: the plan as a picture, the draws as a table."""
    budget = manifest.get("budget")
    if budget is None:
        return None
    draws = budget["draws"]
    columns = ("step", "epsilon", "noise", "note")
    rows = tuple(tuple(str(draw.get(name, "")) for name in columns) for draw in draws[:MOST_DRAWS])
    more = f", the first {MOST_DRAWS} of {len(draws):,}; the manifest holds all" if len(draws) > MOST_DRAWS else ""
    plan = plan_picture(budget["plan"])
    tables = [*plan.tables, *([Table(caption=f"Draws of noise{more}", columns=columns, rows=rows)] if rows else [])]
    kept = manifest["ledger"]["kept_in"]
    ledger = "a durable ledger" if kept == "file" else "memory only, so nothing stops a second spend on the same data"
    return Section(
        title="Where the budget went",
        menu="Budget",
        paragraphs=[
            f"Every draw of noise was charged before it was made, in {ledger}. Noise source: {manifest['noise_source']}."
        ],
        pictures=[replace(plan, tables=tuple(tables))],
    )
