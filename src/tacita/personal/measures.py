"""What somebody who sees the release learns about the sensitive patterns.

Notation: N tuples of places of a pattern's length lie within the window; n_p of them hold the pattern p; n_g show the string g
that p is shown as. p starts at a_p places, g at b_g, any pattern at A, any string that a pattern is shown as at B.

Beliefs, each from a prior to a posterior:

    tuples, single   n_p / N           ->  n_p / n_g
    tuples, any      sum of n_p / N    ->  max over g of (sum of n_p over the patterns shown as g) / n_g
    starts, single   a_p / |S|         ->  a_p / b_g
    starts, any      A / |S|           ->  A / B

Information in nats, for each length m: I_m between which pattern a tuple holds, if any, and what it shows, and its entropy H_m:

    I_m = sum_p n_p/N ln(N/n_g) + sum_g k_g/N ln(k_g N / (k n_g)) + r/N ln(N/k)

with k = N - sum n_p, k_g = n_g - sum of n_p over the patterns shown as g, r = N - sum n_g. All of these never fall when a
showing is refined: a finer showing determines the coarser one, and every occurrence of a finer string is one of the coarser.

Bonomi, Fan and Jin (WSDM 2016, Equation 2) print a formula that can be read in two ways. *Printed* (A) takes the frequencies of
generalized patterns among themselves: it is no mutual information, can exceed the entropy, and can fall under refinement.
*Push-forward* (B) is the entropy of which generalized pattern a sensitive occurrence is shown as. Both are 0 for a single
pattern, however it is shown, since "no sensitive pattern is here" is no outcome in them. They are here to compare with the
paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from fractions import Fraction
from math import fsum, log

from tacita.personal.occurrences import Block
from tacita.personal.problem import Problem, entropy_of

__all__ = ["Form", "beliefs", "information", "least_term", "odds", "paper_entropy", "paper_information", "priors"]

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
