"""The questions that may be asked of private data, each with the distribution of its answers.

Read `question` (the interface) first; then `cells` (counts of disjoint cells, those that reach a threshold or all of them),
`blocks` (many blocks, each at its own terms), `stable` (lists that somebody has), `selecting` (a private choice, or one in each
of many parts), `ladder` (a count whose local sensitivity is small), `arrangement` (where the ones are) and `placing` (blocks of
vertices, chosen in one pass). A mechanism calls `noisy_cells`, `every_count`, `ladder_count`, `placed_in_blocks`, `stable_lists`
and `select` with its account, or `account.ask` with a question of its own.
"""

from tacita.privacy.questions.arrangement import ArrangementQuestion
from tacita.privacy.questions.blocks import BlockQuestion, Terms
from tacita.privacy.questions.cells import CellQuestion, Cells, EveryCount, every_count, noisy_cells
from tacita.privacy.questions.ladder import LadderCount, Spread, ladder_count
from tacita.privacy.questions.placing import PlacementQuestion, in_one_pass, placed_in_blocks
from tacita.privacy.questions.question import AnyQuestion, Asks, Choice, Outcomes, Question, rho_of
from tacita.privacy.questions.selecting import ManySelections, SelectionQuestion, ShareDifferences, select
from tacita.privacy.questions.stable import Lists, StableQuestion, stable_lists

__all__ = [
    "AnyQuestion",
    "ArrangementQuestion",
    "Asks",
    "BlockQuestion",
    "CellQuestion",
    "Cells",
    "Choice",
    "EveryCount",
    "LadderCount",
    "Lists",
    "ManySelections",
    "Outcomes",
    "PlacementQuestion",
    "Question",
    "SelectionQuestion",
    "ShareDifferences",
    "Spread",
    "StableQuestion",
    "Terms",
    "every_count",
    "in_one_pass",
    "ladder_count",
    "noisy_cells",
    "placed_in_blocks",
    "rho_of",
    "select",
    "stable_lists",
]
