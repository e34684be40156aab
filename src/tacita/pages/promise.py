"""Sections of a report: the guarantee in plain words and where the budget went, and the figures of any measure as tables.

The guarantee is what epsilon means for one person, with odds, or what was verified. It and the budget are rendered from a
manifest alone; the tables hold whatever figures they are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp
from typing import Any

from tacita.pictures import Axis, Cell, Line, Picture, Section, Table, line_plot
from tacita.privacy.pictures import plan_picture

__all__ = ["budget_section", "most_guessed", "promise_section", "surest", "tables_of", "words_of"]


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

    >>> words_of(["a", 2]), words_of(True), words_of(0.5)
    ('a; 2', 'yes', '0.5')
    """
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


BEFORE = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9)
MOST_DRAWS = 60
TITLE = "What is promised"


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


def promise_section(guarantee: Mapping[str, Any]) -> Section:
    """What holds, for whom, and what it means."""
    paragraphs = []
    if not guarantee["holds"]:
        paragraphs.append("Nothing below holds for this release: " + "; ".join(guarantee["voids"]) + ".")
    if "epsilon" not in guarantee:
        return Section(title=TITLE, paragraphs=[*paragraphs, _verified(guarantee)], tables=[_parameters(guarantee)])
    epsilon, delta = float(Fraction(guarantee["epsilon"])), float(Fraction(guarantee.get("delta", "0")))
    unit = guarantee["neighbours"].get("unit", "one record")
    likelier = f"e^{guarantee['epsilon']} = {exp(min(epsilon, 700)):,.3g}"
    always = (
        f"Protected is {unit}. Whatever anybody concludes from this release, they would conclude it almost as readily if that "
        f"part of the data had been different: no outcome becomes more than {likelier} times as likely or unlikely"
    )
    many = (
        "This says nothing of what is true of many people alike: that smokers fall ill can be learnt from a release that one "
        "smoker is not in."
    )
    if delta:
        guessed = f"guess right more often than {100 * most_guessed(epsilon, delta):.1f} % of the time, whatever else they know"
        failing = f"{always}, beyond a probability of {guarantee['delta']} (delta)."
        odds = f"In odds: somebody who has to guess between two equally likely possibilities for {unit} cannot {guessed}."
        return Section(title=TITLE, paragraphs=[*paragraphs, failing, odds, many])
    sure = f"{100 * surest(0.5, epsilon):.0f} % sure afterwards at most, whatever they know of everybody else"
    odds = f"In odds: somebody who thinks beforehand that it is 50 to 50 whether {unit} is as they suspect can be {sure}."
    return Section(
        title=TITLE, paragraphs=[*paragraphs, f"{always}.", odds, many], pictures=[_odds(guarantee["epsilon"], epsilon)]
    )


def _odds(words: str, epsilon: float) -> Picture:
    places = [place / 50 for place in range(51)]
    lines = [
        Line(name=f"afterwards, at most (epsilon {words})", xs=places, values=[surest(p, epsilon) for p in places]),
        Line(name="nothing learnt", xs=places, values=places, is_baseline=True),
    ]
    picture = line_plot(
        "How sure somebody can be at most after seeing the release",
        lines,
        x=Axis(label="how sure they were before", percent=True),
        y=Axis(label="how sure they can be", percent=True),
        about="By Bayes' rule, for somebody who knows everything else. The dotted line is to learn nothing.",
    )
    rows = tuple((f"{100 * before:.0f} %", surest(before, epsilon)) for before in BEFORE)
    short = Table(caption="How sure before, and after at most", columns=("before", "after, at most"), rows=rows)
    return replace(picture, tables=(short,))


def _verified(guarantee: Mapping[str, Any]) -> str:
    evidence = guarantee["evidence"]
    return (
        f"This was checked on the finished data before anything was written: {evidence.get('check', '')} "
        f"(by {evidence.get('by', 'code that shares nothing with what made it')}). No noise was drawn and no budget was spent."
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
        paragraphs=[
            f"Every draw of noise was charged before it was made, in {ledger}. Noise source: {manifest['noise_source']}."
        ],
        pictures=[replace(plan, tables=tuple(tables))],
    )
