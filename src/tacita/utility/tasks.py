"""What people do with shared data, done with a release and judged on raw data: prediction, clustering, rules.

- *classification*: whether a record has a label is predicted from its other labels, by logistic regression; for the labels that
  are frequent, but not everywhere, in the release. Score: area under the ROC curve, 0.5 by chance.
- *clustering*: k-means centres. Score: the share of the variance of raw records that they explain, 0 with one centre.
- *association rules*: A -> b with a confidence of one half or more, from the most frequent itemsets. Score: the F1 of rules.
- *next place*: the next symbol of a sequence from the two before it. Score: the share that is right.
- *a column of a table*: predicted from all others by a decision tree. Score: of a category, the share that is right; of a
  number or a date, the share of its variance that is explained.

A model learns from the release and is tested on the second half of the raw records; beside it stands one that learnt from the
first half of them. Needs scikit-learn: `pip install 'tacita[tasks]'`. All of it is computed from raw data, for the owner only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.arrays.ragged import Ragged, chosen, distinct
from tacita.errors import ParameterError
from tacita.mining import top_itemsets
from tacita.seeded import public_generator
from tacita.sequences import PublishedSequences, SequenceRecords
from tacita.sets import BasketRecords, PublishedBaskets
from tacita.tables import Categorical, CountedTable, PublishedBuckets, PublishedTable, Sensitive
from tacita.tables.columns import Column
from tacita.utility.distributions import measure_next_place
from tacita.utility.rendering import OWNER_ONLY

__all__ = ["TaskScore", "Tasks", "measure_rules", "measure_tasks", "on_sequences", "on_sets", "on_tables"]

MOST_RECORDS = 20_000
NOTHING = "nothing to predict"
TARGETS, CLUSTERS, ITEMSETS, CONFIDENCE = 5, 8, 200, 0.5
Rule = tuple[tuple[int, ...], int]


@dataclass(frozen=True, kw_only=True)
class TaskScore:
    """How well a task is done after learning from the release, from raw records, and without learning; more is better."""

    task: str
    measure: str
    released: float
    raw: float
    baseline: float

    @property
    def kept(self) -> float | None:
        """The share of what raw records teach that the release keeps: negative if it misleads, None if they teach nothing."""
        gain = self.raw - self.baseline
        return (self.released - self.baseline) / gain if gain > 0 else None

    def __str__(self) -> str:
        """The scores as columns; the task itself is put before them."""
        told = NOTHING if self.kept is None else f"{self.kept:.0%}"
        return f"{self.released:>8.3f}  {self.raw:>8.3f}  {self.baseline:>8.3f}  {told:>{len(NOTHING)}}  {self.measure}"


@dataclass(frozen=True, kw_only=True)
class Tasks:
    """All tasks on one release. For the owner's eyes only."""

    scores: tuple[TaskScore, ...]

    def as_json(self) -> list[dict[str, object]]:
        """The figures for scripts."""
        return [asdict(score) | {"kept": score.kept} for score in self.scores]

    def __str__(self) -> str:
        """One line per task."""
        wide = max((len(score.task) for score in self.scores), default=4)
        lines = [f"{score.task.ljust(wide)}  {score}" for score in self.scores]
        head = f"{'task'.ljust(wide)}  {'release':>8}  {'raw':>8}  {'nothing':>8}  {'kept':>{len(NOTHING)}}  measure"
        return "\n".join([OWNER_ONLY, head, *lines])


def measure_tasks(raw: Ragged, released: Ragged, *, symbols: int, ordered: bool = False) -> Tasks:
    """Do all tasks; next places only where the records are `ordered`."""
    if len(raw) < 2:
        message = f"tasks need at least two raw records, to learn from one half and to be tested on the other; got {len(raw)}"
        raise ParameterError(message)
    learned = _matrix(_some(released, MOST_RECORDS, seed=1), symbols)
    half = _some(raw, 2 * MOST_RECORDS, seed=2)
    middle = len(half) // 2
    own, tested = (_matrix(chosen(half, part), symbols) for part in (np.arange(middle), np.arange(middle, len(half))))
    scores = [
        *_classification(learned, own, tested),
        _clustering(learned, own, tested),
        measure_rules(raw, released, symbols=symbols),
    ]
    if ordered:
        found = measure_next_place(raw, released, symbols=symbols)
        scores.append(TaskScore(task="next place", measure="share right", released=found.released, raw=found.raw, baseline=0.0))
    return Tasks(scores=tuple(scores))


def _learning(name: str) -> Any:  # noqa: ANN401 - a module of scikit-learn, which is not always there
    try:
        return import_module(f"sklearn.{name}")
    except ImportError:
        message = "tasks need scikit-learn, which is not installed; get it with: pip install 'tacita[tasks]'"
        raise ParameterError(message) from None


def _some(lists: Ragged, most: int, *, seed: int) -> Ragged:
    """At most this many records, in a random order that is always the same."""
    return chosen(lists, public_generator(seed).permutation(len(lists))[:most].astype(np.intp))


def _matrix(lists: Ragged, symbols: int) -> Any:  # noqa: ANN401 - a sparse matrix of SciPy, which comes with scikit-learn
    _learning("utils")
    sets = distinct(lists, symbols=symbols)
    ones = np.ones(sets.codes.size, dtype=np.float32)
    codes, offsets = (part.astype(np.int32) for part in (sets.codes, sets.offsets))  # copies, which may be written to
    return import_module("scipy.sparse").csr_matrix((ones, codes, offsets), shape=(len(sets), symbols))


def _classification(learned: Any, own: Any, tested: Any) -> Iterator[TaskScore]:  # noqa: ANN401 - sparse matrices
    shares = np.asarray(learned.mean(axis=0)).ravel() if learned.shape[0] else np.zeros(learned.shape[1])
    usable = np.flatnonzero((shares > 0.01) & (shares < 0.9))
    targets = usable[np.argsort(-shares[usable], kind="stable")][:TARGETS].tolist()
    found = [
        (_area(learned, tested, target), _area(own, tested, target))
        for target in targets
        if _both(tested, target) and _both(own, target)
    ]
    if found:
        released, raw = (float(np.mean([pair[side] for pair in found])) for side in (0, 1))
        name = f"classification ({len(found)} labels)"
        yield TaskScore(task=name, measure="area under the curve", released=released, raw=raw, baseline=0.5)


def _column(matrix: Any, target: int) -> Booleans:  # noqa: ANN401 - a sparse matrix
    return np.asarray(matrix[:, [target]].toarray().ravel() > 0)


def _both(matrix: Any, target: int) -> bool:  # noqa: ANN401 - a sparse matrix
    return 0 < int(_column(matrix, target).sum()) < int(matrix.shape[0])


def _area(learned: Any, tested: Any, target: int) -> float:  # noqa: ANN401 - sparse matrices
    """Learn to foresee a label from all others; chance if the release has it always or never."""
    if not _both(learned, target):
        return 0.5
    others = [code for code in range(learned.shape[1]) if code != target]
    model = _learning("linear_model").LogisticRegression(max_iter=200)
    model.fit(learned[:, others], _column(learned, target))
    scores = model.decision_function(tested[:, others])
    return float(_learning("metrics").roc_auc_score(_column(tested, target), scores))


def _clustering(learned: Any, own: Any, tested: Any) -> TaskScore:  # noqa: ANN401 - sparse matrices
    centre = np.asarray(tested.mean(axis=0)).ravel()
    everything = float(tested.multiply(tested).sum() - tested.shape[0] * (centre**2).sum())

    def explained(matrix: Any) -> float:  # noqa: ANN401 - a sparse matrix
        if matrix.shape[0] < CLUSTERS or everything <= 0:
            return 0.0
        model = _learning("cluster").MiniBatchKMeans(n_clusters=CLUSTERS, n_init=3, random_state=0)
        return 1 + float(model.fit(matrix).score(tested)) / everything

    return TaskScore(
        task=f"clustering ({CLUSTERS} centres)",
        measure="share of the variance",
        released=explained(learned),
        raw=explained(own),
        baseline=0.0,
    )


def measure_rules(raw: Ragged, released: Ragged, *, symbols: int) -> TaskScore:
    """Compare association rules of both sides; no model is learnt, so scikit-learn is not needed."""
    true, found = (_rules(distinct(side, symbols=symbols), symbols) for side in (raw, released))
    hits = len(true & found)
    score = 2 * hits / (len(true) + len(found)) if true or found else 1.0
    return TaskScore(
        task=f"association rules ({len(true)} true, {len(found)} found)", measure="F1", released=score, raw=1.0, baseline=0.0
    )


def _rules(sets: Ragged, symbols: int) -> set[Rule]:
    supports = top_itemsets(sets, count=ITEMSETS, symbols=symbols, max_length=3).as_dict()
    return {
        (left, right)
        for items, support in supports.items()
        for right in items
        if (left := tuple(item for item in items if item != right)) and support >= CONFIDENCE * supports.get(left, np.inf)
    }


def on_sequences(records: SequenceRecords, published: PublishedSequences) -> Tasks:
    """The tasks on sequences, without their times."""
    size = len(published.universe)
    raw, released = (Ragged(side.codes % size, side.offsets) for side in (records.sequences, published.sequences))
    return measure_tasks(raw, released, symbols=size, ordered=True)


def on_sets(records: BasketRecords, published: PublishedBaskets) -> Tasks:
    """The tasks on baskets."""
    return measure_tasks(records.baskets, published.baskets, symbols=len(published.universe))


# Tables: each column from all others.


MOST_COLUMNS, MOST_CLASSES, LEAF = 12, 20, 50
"""The most columns that are predicted, the most values of a predicted category, and the fewest rows in a leaf of a tree."""


def on_tables(records: CountedTable, published: PublishedTable | PublishedBuckets) -> Tasks:
    """Predict each column of a table from all others; ranges count as their middle."""
    records = records.in_memory()
    if isinstance(published, PublishedBuckets) or len(records) < 2:
        message = "tasks on a table need rows with all columns, and at least two raw rows; buckets have their columns apart"
        raise ParameterError(message)
    columns = records.schema.all_columns
    hidden = () if records.sensitive is None else records.schema.hidden_codes(records.sensitive)
    raw = _rows([*records.quasi, *hidden], 2 * MOST_RECORDS, seed=2)
    middle = (published.lows + published.highs - 1) // 2
    shown = () if published.sensitive is None else published.schema.hidden_codes(published.sensitive)
    learned = _rows([*middle[published.groups].T, *shown], MOST_RECORDS, seed=1)
    own, tested = raw[: len(raw) // 2], raw[len(raw) // 2 :]
    able = [place for place, column in enumerate(columns) if not _is_category(column) or column.size <= MOST_CLASSES]
    scores = (_predicted(columns, place, learned, own, tested) for place in able[:MOST_COLUMNS])
    return Tasks(scores=tuple(score for score in scores if score is not None))


def _rows(columns: list[Integers], most: int, *, seed: int) -> Integers:
    rows = np.stack(columns, axis=1)
    return np.asarray(rows[public_generator(seed).permutation(len(rows))[:most]], dtype=np.int64)


def _is_category(column: Column | Sensitive) -> bool:
    return isinstance(column, Categorical | Sensitive)


def _predicted(
    columns: tuple[Column | Sensitive, ...], place: int, learned: Integers, own: Integers, tested: Integers
) -> TaskScore | None:
    column = columns[place]
    is_category, count = _is_category(column), getattr(column, "count", column.size)

    def known(rows: Integers) -> Integers:
        return rows if is_category else rows[rows[:, place] < count]  # a missing number is none

    tested = known(tested)
    truth = tested[:, place]
    if np.unique(truth).size < 2:
        return None
    trees = _learning("tree")
    kind = trees.DecisionTreeClassifier if is_category else trees.DecisionTreeRegressor

    def score(rows: Integers) -> float:
        rows = known(rows)
        values, others = rows[:, place], np.delete(rows, place, axis=1)
        made: Reals = np.zeros(truth.size)
        if values.size:
            made = kind(min_samples_leaf=LEAF, random_state=0).fit(others, values).predict(np.delete(tested, place, axis=1))
        if is_category:
            return float(np.mean(made == truth))
        return 1 - float(((made - truth) ** 2).mean()) / float(truth.var())

    return TaskScore(
        task=f"{column.name} from the others",
        measure="share right" if is_category else "share of the variance",
        released=score(learned),
        raw=score(own),
        baseline=float(np.bincount(truth).max()) / truth.size if is_category else 0.0,
    )
