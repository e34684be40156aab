"""Noisy grams as a machine that writes sequences: its states are contexts, with probabilities of what comes next.

A context is how the sequence so far ends: a gram whose continuations were asked for, a run of one symbol of a known length, or
the whole beginning of the sequence. A sequence is always in the longest known context. The released counts say how a context
continues; the rest of its count is divided as after its longest proper suffix (its Markov parent in the thesis, section 6.4.1),
and the rest of the empty context's count is divided equally.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tacita.arrays import Integers, Numbers, Reals
from tacita.sequences.ngrams.synthesis.links import Runs, known_of, largest, links_of, numbered, runs_of
from tacita.sequences.ngrams.synthesis.shares import Estimate
from tacita.sequences.ngrams.synthesis.tree import GramTree

__all__ = ["Contexts", "contexts_of"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Contexts:
    """States from 0, the empty context, in this order: asked grams by length, runs of one symbol by length, beginnings.

    `shares[s]` are the probabilities of each symbol and, last, the end; `following[s]` the state after each symbol; `depths` are
    lengths (a run longer than any gram counts as the longest gram), `lasts` the last symbols, and `trails` how often these are
    repeated at the end. `first` is the state in which every sequence begins; it and all later states are beginnings.
    """

    shares: Reals
    following: Numbers
    suffixes: Integers
    depths: Integers
    lasts: Integers
    trails: Integers
    first: int
    wanted: Reals
    """The share of a context's own count that each released continuation has; negative if it was not released."""
    trust: Reals
    """How far to trust each share, from 0 to 1: less if noise is large; what was not released has the trust of the rest."""
    runs: Runs

    @property
    def symbols(self) -> int:
        """The number of symbols; the end is one more."""
        return int(self.following.shape[1])

    def with_shares(self, shares: Reals) -> Contexts:
        """The same machine with other probabilities."""
        return replace(self, shares=shares)

    def __len__(self) -> int:
        """The number of states."""
        return int(self.depths.size)


def contexts_of(
    grams: GramTree, starts: GramTree, *, max_length: int, lengths: Reals, shares_missing: bool, max_cells: int
) -> Contexts:
    """Make the machine; `lengths[l]` sequences have l symbols, and the last entry counts those that were cut.

    Without `shares_missing`, continuations that were not released are assumed not to exist. As many contexts are used as
    `max_cells` probabilities allow, those with the largest counts first.
    """
    grams = largest(grams, max_cells // (grams.symbols + 2) // 2)
    starts = largest(starts, max_cells // (grams.symbols + 2) // 2)
    asked = numbered(grams.levels, first=1)
    runs = runs_of(grams, first=1 + sum(int(level.asked.sum()) for level in grams.levels), max_length=max_length)
    first = 1 + sum(int(level.asked.sum()) for level in grams.levels) + runs.states.size
    begun = numbered(starts.levels, first=first + 1)
    size = first + 1 + sum(int(level.asked.sum()) for level in starts.levels)
    links = links_of(grams, starts, asked, begun, runs, first=first, size=size)
    known, own = known_of(grams, asked, first=0), known_of(starts, begun, first=first)
    guess = Estimate.of(links, (known, own), symbols=grams.symbols, shares_missing=shares_missing)
    shares = guess.shares(lengths=lengths, runs=runs, first=first)
    return Contexts(
        shares=shares,
        following=links.following,
        suffixes=links.suffixes,
        depths=links.depths,
        lasts=links.places,
        trails=links.trails,
        first=first,
        wanted=guess.wanted,
        trust=guess.trust(),
        runs=runs,
    )
