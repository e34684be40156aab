"""The questions that may be asked of private data, each with the distribution of its answers.

Read `question` (the interface) first; then `cells` (counts of disjoint cells), `blocks` (many blocks of cells, each at its own
terms), `stable` (lists that somebody has) and `selecting` (a private choice). A mechanism calls `noisy_cells`, `stable_lists` and
`select` with its account, or `account.ask` with a question of its own.
"""

from tacita.privacy.questions.blocks import BlockQuestion, Terms
from tacita.privacy.questions.cells import CellQuestion, Cells, noisy_cells
from tacita.privacy.questions.question import AnyQuestion, Asks, Choice, Outcomes, Question
from tacita.privacy.questions.selecting import SelectionQuestion, select
from tacita.privacy.questions.stable import Lists, StableQuestion, stable_lists

__all__ = [
    "AnyQuestion",
    "Asks",
    "BlockQuestion",
    "CellQuestion",
    "Cells",
    "Choice",
    "Lists",
    "Outcomes",
    "Question",
    "SelectionQuestion",
    "StableQuestion",
    "Terms",
    "noisy_cells",
    "select",
    "stable_lists",
]
