"""What a release gives away, the bounds that a release must keep, and the judge that decides whether a showing keeps one.

Read the measures first: the beliefs and the mutual information that follow from a showing. Then the bounds on them:

- `BeliefBound` is the default: seeing the release, nobody believes with more than the limit that a sensitive pattern is at a
  place.
- `InformationBound` bounds the mutual information of tuples relative to its entropy. An absolute bound means nothing for rare
  patterns: one that occurs twice in 10,004 symbols has an entropy of 0.00024 nats. And the bound is on an average: at half the
  entropy a single pattern can stay certain.
- `EveryPattern` is the paper's rule by which each pattern changes.
- `PaperBound` is the measure that Bonomi, Fan and Jin (WSDM 2016) print, for comparison.

`Judge` applies one bound to the showings of one problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import fsum, log
from typing import Protocol

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.personal.problem import Block, Problem, entropy_of
from tacita.privacy.budget import decimal_text
from tacita.public.parameters import Chosen

__all__ = [
    "AnyBound",
    "BeliefBound",
    "Bound",
    "EveryPattern",
    "Form",
    "InformationBound",
    "Judge",
    "PaperBound",
    "Reading",
    "beliefs",
    "information",
    "least_term",
    "odds",
    "paper_entropy",
    "paper_information",
    "parse_bound",
    "priors",
]


# Measures: what somebody who sees the release learns about the sensitive patterns.
#
# Notation: N tuples of places of a pattern's length lie within the window; n_p of them hold the pattern p; n_g show the string
# g that p is shown as. p starts at a_p places, g at b_g, any pattern at A, any string that a pattern is shown as at B.
#
# Beliefs, each from a prior to a posterior:
#
#     tuples, single   n_p / N           ->  n_p / n_g
#     tuples, any      sum of n_p / N    ->  max over g of (sum of n_p over the patterns shown as g) / n_g
#     starts, single   a_p / |S|         ->  a_p / b_g
#     starts, any      A / |S|           ->  A / B
#
# Information in nats, for each length m: I_m is the mutual information between which pattern a tuple holds, if any, and what it
# shows; H_m is the entropy of the former.
#
#     I_m = sum_p n_p/N ln(N/n_g) + sum_g k_g/N ln(k_g N / (k n_g)) + r/N ln(N/k)
#
# with k = N - sum n_p, k_g = n_g - sum of n_p over the patterns shown as g, r = N - sum n_g. None of these ever falls when a
# showing is refined: a finer showing determines the coarser one, and every occurrence of a finer string is one of the coarser.
#
# Bonomi, Fan and Jin (WSDM 2016, Equation 2) print a formula that can be read in two ways. *Printed* (A) takes the frequencies
# of generalized patterns among themselves: it is no mutual information, can exceed the entropy, and can fall under refinement.
# *Push-forward* (B) is the entropy of which generalized pattern a sensitive occurrence is shown as. Both are 0 for a single
# pattern, however it is shown, since "no sensitive pattern is here" is no outcome in them. They serve to compare with the
# paper.

Blocks = tuple[Block, ...]
String = tuple[Block, ...]


class Form(StrEnum):
    """What a belief is about: a tuple of places or the place where a pattern starts; one pattern, or any of them."""

    TUPLES_SINGLE = "tuples-single"
    TUPLES_ANY = "tuples-any"
    STARTS_SINGLE = "starts-single"
    STARTS_ANY = "starts-any"


def beliefs(problem: Problem, blocks: Blocks, form: Form) -> Iterator[Fraction]:
    """The posteriors of one form, whose greatest is the belief."""
    return (Fraction(*shares) for shares in odds(problem, blocks, form))


def odds(problem: Problem, blocks: Blocks, form: Form) -> Iterator[tuple[int, int]]:
    """The same as pairs of whole numbers, sensitive ones of how many; one after the other, so that a test may stop early."""
    shown, occurrences = problem.shown_as(blocks), problem.occurrences
    match form:
        case Form.TUPLES_SINGLE:
            for pattern, string in shown.items():
                yield problem.tuples_of[pattern], occurrences.tuples(string)
        case Form.TUPLES_ANY:
            for string, held in _held(problem, shown).items():
                yield held, occurrences.tuples(string)
        case Form.STARTS_SINGLE:
            for pattern, string in shown.items():
                yield problem.starts_of[pattern].bit_count(), occurrences.starts(string).bit_count()
        case Form.STARTS_ANY if shown:
            yield _union(problem.starts_of.values()), _union(map(occurrences.starts, set(shown.values())))


def priors(problem: Problem, form: Form) -> Fraction:
    """The greatest belief before anything is seen but the length of the sequence."""
    size = problem.sequence.size
    match form:
        case Form.TUPLES_SINGLE:
            found = [Fraction(count, problem.occurrences.total(len(pattern))) for pattern, count in problem.tuples_of.items()]
        case Form.TUPLES_ANY:
            found = [
                Fraction(sum(problem.tuples_of[pattern] for pattern in patterns), problem.occurrences.total(length))
                for length, patterns in problem.by_length.items()
            ]
        case Form.STARTS_SINGLE:
            found = [Fraction(starts.bit_count(), size) for starts in problem.starts_of.values()]
        case Form.STARTS_ANY:
            found = [Fraction(_union(problem.starts_of.values()), max(size, 1))]
    return max(found, default=Fraction(0))


def information(problem: Problem, blocks: Blocks, length: int) -> float:
    """I_m, the mutual information of a tuple of places of this length."""
    shown = {pattern: string for pattern, string in problem.shown_as(blocks).items() if len(pattern) == length}
    total, held = problem.occurrences.total(length), _held(problem, shown)
    count = {string: problem.occurrences.tuples(string) for string in held}
    other = total - sum(held.values())
    terms = [problem.tuples_of[pattern] / total * log(total / count[string]) for pattern, string in shown.items()]
    for string, number in held.items():
        covers = count[string] - number
        if covers:
            terms.append(covers / total * log(covers * total / (other * count[string])))
    rest = total - sum(count.values())
    if rest:
        terms.append(rest / total * log(total / other))
    return max(0.0, fsum(terms))


def least_term(problem: Problem, length: int) -> float:
    """The least P ln 1/P of a pattern of this length: I_m is below it only if every pattern is shown as another string."""
    total = problem.occurrences.total(length)
    shares = [problem.tuples_of[pattern] / total for pattern in problem.by_length.get(length, ())]
    return min((share * log(1 / share) for share in shares), default=0.0)


def paper_information(problem: Problem, blocks: Blocks, *, printed: bool) -> float:
    """The paper's measure, as printed (A) or as a push-forward (B), over patterns of all lengths together."""
    shown = problem.shown_as(blocks)
    held = _held(problem, shown)
    if not printed:
        return entropy_of(list(held.values()))
    total = sum(held.values())
    count = {string: problem.occurrences.tuples(string) for string in held}
    everything = sum(count.values())
    return fsum(problem.tuples_of[pattern] / total * log(everything / count[string]) for pattern, string in shown.items())


def paper_entropy(problem: Problem) -> float:
    """The paper's H(S): of which sensitive pattern a sensitive occurrence is one."""
    return entropy_of(list(problem.tuples_of.values()))


def _held(problem: Problem, shown: dict[tuple[int, ...], String]) -> dict[String, int]:
    """How many tuples that hold a pattern are shown as each string."""
    held: dict[String, int] = {}
    for pattern, string in shown.items():
        held[string] = held.get(string, 0) + problem.tuples_of[pattern]
    return held


def _union(starts: Iterable[int]) -> int:
    """How many places are in any of these."""
    together = 0
    for bits in starts:
        together |= bits
    return together.bit_count()


_ROUNDING = 1 + 1e-9
"""How far a sum of logarithms may be above its limit by rounding: at the limit 1 everything may be shown."""


class Bound(Protocol):
    """What may be given away, as a public rule."""

    def keeps(self, problem: Problem, blocks: Blocks) -> bool:
        """Whether a showing with these blocks of sensitive symbols keeps the bound."""
        ...

    def leak(self, problem: Problem, blocks: Blocks) -> float:
        """How much is given away; never falls under refinement. Searches choose by it, nothing is promised by it."""
        ...

    def reason(self, problem: Problem) -> str:
        """Why not even the root everywhere keeps the bound, as a rule, without a figure."""
        ...


@dataclass(frozen=True, kw_only=True)
class BeliefBound:
    """Nobody believes with more than `limit` that a sensitive pattern is at a place, in each of the `forms`.

    >>> print(BeliefBound(limit="0.3").limit)
    3/10
    """

    limit: Fraction
    forms: tuple[Form, ...] = tuple(Form)

    def __init__(self, *, limit: Fraction | str | float, forms: tuple[Form | str, ...] = tuple(Form)) -> None:
        """Check that the limit is a probability below 1, exactly as it is written, and that there is a form."""
        object.__setattr__(self, "limit", _share(limit, name="a belief"))
        if not forms or len(set(forms)) != len(forms) or not all(form in set(Form) for form in forms):
            message = f"the forms of a belief must be some of {', '.join(Form)}, each once, got {', '.join(forms) or 'none'}"
            raise ParameterError(message)
        object.__setattr__(self, "forms", tuple(Form(form) for form in forms))

    @staticmethod
    def parse(text: str) -> AnyBound:
        """Read any bound, as `parse_bound` does."""
        return parse_bound(text)

    def __str__(self) -> str:
        """Render as it is parsed."""
        forms = "" if self.forms == tuple(Form) else ":" + ",".join(self.forms)
        return f"belief={decimal_text(self.limit)}{forms}"

    def keeps(self, problem: Problem, blocks: Blocks) -> bool:
        """Whether every belief is at most the limit; in whole numbers, without rounding."""
        upper, lower = self.limit.numerator, self.limit.denominator
        return all(held * lower <= upper * shown for form in self._asked for held, shown in odds(problem, blocks, form))

    @property
    def _asked(self) -> tuple[Form, ...]:
        """The forms that say everything: tuples of any pattern are at least those of a single one, of the same number shown."""
        both = Form.TUPLES_ANY in self.forms
        return tuple(form for form in self.forms if not (both and form is Form.TUPLES_SINGLE))

    def leak(self, problem: Problem, blocks: Blocks) -> float:
        """The sum of all beliefs: the greatest alone would not tell two steps apart that leave it as it is."""
        return sum(held / shown for form in self.forms for held, shown in odds(problem, blocks, form))

    def reason(self, problem: Problem) -> str:
        """Which belief is above the limit before anything is seen."""
        over = [form for form in self.forms if priors(problem, form) > self.limit] or self.forms
        return f"belief ({', '.join(over)}) is above the limit before anything is shown; raise it or name fewer patterns"


@dataclass(frozen=True, kw_only=True)
class InformationBound:
    """For each length of patterns, what tuples of places show gives away at most this share of the entropy: I <= limit * H."""

    limit: Fraction

    def __init__(self, *, limit: Fraction | str | float) -> None:
        """Check that the limit is a share."""
        object.__setattr__(self, "limit", _share(limit, name="a share of the entropy", whole=True))

    def __str__(self) -> str:
        """Render as it is parsed."""
        return f"information={decimal_text(self.limit)}"

    def keeps(self, problem: Problem, blocks: Blocks) -> bool:
        """Whether each I_m is within its share of H_m, up to rounding in the ninth digit."""
        limit = float(self.limit) * _ROUNDING
        return all(information(problem, blocks, length) <= limit * problem.entropies[length] for length in problem.by_length)

    def leak(self, problem: Problem, blocks: Blocks) -> float:
        """The sum over all lengths."""
        return sum(information(problem, blocks, length) for length in problem.by_length)

    def reason(self, problem: Problem) -> str:
        """It can always be kept."""
        del problem
        return "no showing keeps the bound"


@dataclass(frozen=True, kw_only=True)
class EveryPattern:
    """I < min P ln 1/P for each length: every sensitive pattern that occurs is shown as something else (section 3.1)."""

    def __str__(self) -> str:
        """Render as it is parsed."""
        return "every-pattern"

    def keeps(self, problem: Problem, blocks: Blocks) -> bool:
        """Whether each I_m is below the least term of a pattern of its length."""
        return all(information(problem, blocks, length) < least_term(problem, length) / _ROUNDING for length in problem.by_length)

    def leak(self, problem: Problem, blocks: Blocks) -> float:
        """The sum over all lengths."""
        return sum(information(problem, blocks, length) for length in problem.by_length)

    def reason(self, problem: Problem) -> str:
        """A pattern that is everywhere has no entropy, so nothing is below its term."""
        del problem
        return "a pattern holds at every tuple of places, so that no showing hides it"


class Reading(StrEnum):
    """How the paper's formula is read."""

    PRINTED = "printed"
    PUSH_FORWARD = "push-forward"


@dataclass(frozen=True, kw_only=True)
class PaperBound:
    """The measure of the paper, relative to its H(S) or absolute. For comparison: it lets a single pattern be shown as it is."""

    limit: Fraction
    reading: Chosen[Reading] = Chosen(Reading)
    absolute: bool = False

    def __init__(self, *, limit: Fraction | str | float, reading: Reading | str, absolute: bool = False) -> None:
        """Check the limit and the reading."""
        object.__setattr__(self, "limit", _share(limit, name="a share of the entropy", whole=True))
        if reading not in set(Reading):
            message = f"a reading must be one of {', '.join(Reading)}, got {reading!r}"
            raise ParameterError(message)
        object.__setattr__(self, "reading", Reading(reading))
        object.__setattr__(self, "absolute", absolute)

    def __str__(self) -> str:
        """Render as it is parsed."""
        return f"{self.reading}={decimal_text(self.limit)}{':absolute' if self.absolute else ''}"

    def keeps(self, problem: Problem, blocks: Blocks) -> bool:
        """Whether the measure is within the limit."""
        scale = 1.0 if self.absolute else paper_entropy(problem)
        return self.leak(problem, blocks) <= float(self.limit) * scale * _ROUNDING

    def leak(self, problem: Problem, blocks: Blocks) -> float:
        """The measure itself."""
        return paper_information(problem, blocks, printed=self.reading is Reading.PRINTED) if problem.patterns else 0.0

    def reason(self, problem: Problem) -> str:
        """Lengths stay apart in the paper's measure, even at the root."""
        del problem
        return "patterns of different lengths stay apart even at the root; take a bound per length instead"


AnyBound = BeliefBound | InformationBound | EveryPattern | PaperBound


def parse_bound(text: str) -> AnyBound:
    """Read `belief=0.3`, `information=0.5`, `every-pattern`, or a reading of the paper such as `printed=0.5`.

    A share alone is a belief. Forms of a belief follow a colon, as in `belief=0.3:tuples-any,starts-single`; so does `absolute`
    for a reading.

    >>> print(parse_bound("0.25"))
    belief=0.25
    """
    name, equals, rest = text.partition("=")
    if text[:1] in set("0123456789."):
        return BeliefBound(limit=text)
    limit, colon, more = rest.partition(":")
    if text == "every-pattern":
        return EveryPattern()
    if name == "belief" and equals:
        return BeliefBound(limit=limit, forms=tuple(more.split(","))) if colon else BeliefBound(limit=limit)
    if name == "information" and equals and not colon:
        return InformationBound(limit=limit)
    if name in set(Reading) and equals and more in {"", "absolute"}:
        return PaperBound(limit=limit, reading=name, absolute=more == "absolute")
    known = "0.3 or belief=0.3, information=0.5, every-pattern, printed=0.5 or push-forward=0.5"
    message = f"a bound must be given as {known}, got {text!r}"
    raise ParameterError(message)


class Judge:
    """Decides whether showings of one problem keep a bound, and remembers what it decided."""

    def __init__(self, problem: Problem, bound: Bound) -> None:
        """Nothing is decided yet."""
        self.problem, self.bound = problem, bound
        self.tests = 0
        self._kept: dict[Blocks, bool] = {}
        self._leaks: dict[Blocks, float] = {}

    def keeps(self, showing: Integers) -> bool:
        """Whether the showing keeps the bound."""
        return self.keeps_blocks(self.problem.blocks(showing))

    def keeps_blocks(self, blocks: Blocks) -> bool:
        """Whether a showing with these blocks of sensitive symbols keeps the bound."""
        if blocks not in self._kept:
            self.tests += 1
            self._kept[blocks] = self.bound.keeps(self.problem, blocks)
        return self._kept[blocks]

    def leak(self, showing: Integers) -> float:
        """How much the showing gives away."""
        blocks = self.problem.blocks(showing)
        if blocks not in self._leaks:
            self._leaks[blocks] = self.bound.leak(self.problem, blocks)
        return self._leaks[blocks]


def _share(value: Fraction | str | float, *, name: str, whole: bool = False) -> Fraction:
    """A share from 0 up to 1, exactly as it is written."""
    try:
        share = value if isinstance(value, Fraction) else Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not (0 <= share < 1 or (whole and share == 1)):
        message = f"{name} must be at least 0 and {'at most' if whole else 'below'} 1, got {value!r}"
        raise ParameterError(message)
    return share
