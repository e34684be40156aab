"""What one row changes in `marginals`: every count question by one, every score by at most one, and nothing else."""

from itertools import product

import numpy as np
import pytest

from tacita.auditing import record, replay, transcript_loss
from tacita.privacy.account import Replay
from tacita.privacy.budget import PureDP
from tacita.privacy.questions import SelectionQuestion
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.tables import Categorical, Independent, Marginals, Numeric, Schema, Sensitive, TableRecords
from tacita.testing import public_generator

SCHEMA = Schema(
    quasi=(
        Categorical(name="a", taxonomy=Taxonomy.flat(Universe("xyz")), missing=True),
        Numeric(name="n", low=0, high=300, missing=True),
        Categorical(name="b", taxonomy=Taxonomy.flat(Universe("pq"))),
    ),
    sensitive=Sensitive(name="s", universe=Universe("uv")),
)
SIZES = [*SCHEMA.sizes, 2]
BUDGET = PureDP(20)


def table(rows):
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T.copy()
    return TableRecords(schema=SCHEMA, quasi=tuple(columns[:3]), sensitive=columns[3])


def rows(number=400, seed=0):
    """Rows whose columns hang together, with a heavy number and missing values."""
    generator = public_generator(seed)
    first = generator.integers(0, 4, number)
    second = np.where(generator.random(number) < 0.4, 17, generator.integers(0, 302, number))
    third = np.where(generator.random(number) < 0.8, first % 2, generator.integers(0, 2, number))
    fourth = np.where(generator.random(number) < 0.8, third, generator.integers(0, 2, number))
    return np.stack([first, second, third, fourth], axis=1).tolist()


def neighbours(given):
    """With a row of any ends of all columns more, and without some."""
    ends = product((0, 3), (0, 17, 300, 301), (0, 1), (0, 1))
    return [[*given, list(row)] for row in ends] + [given[:place] + given[place + 1 :] for place in range(0, len(given), 80)]


@pytest.mark.parametrize("mechanism", [Marginals(), Marginals(target="s"), Independent()], ids=str)
def test_a_row_changes_each_question_by_one_at_most_and_the_release_only_by_the_answers(mechanism):
    given = rows()
    transcript = record(mechanism, table(given), budget=BUDGET)
    own = replay(mechanism, table(given), budget=BUDGET, transcript=transcript)
    choices = [question for question, _ in own.entries if isinstance(question, SelectionQuestion)]
    levels = [question.step for question, _ in own.entries if question.step.startswith("ranges of column 2")]
    assert levels, "the heavy number is looked for"
    assert bool(choices) == isinstance(mechanism, Marginals)
    worst = 0.0
    for neighbour in neighbours(given):
        other = replay(mechanism, table(neighbour), budget=BUDGET, transcript=transcript)
        for (question, mine), (_, theirs) in zip(own.entries, other.entries, strict=True):
            if isinstance(question, SelectionQuestion):
                assert max(abs(one - two) for one, two in zip(mine, theirs, strict=True)) <= question.sensitivity == 1
            else:
                assert np.abs(mine - theirs).sum() <= question.sensitivity == 1
        worst = max(worst, abs(transcript_loss(transcript, own, other)))
    assert 0.3 * float(BUDGET.epsilon) < worst <= float(BUDGET.epsilon) * (1 + 1e-9)


def test_answers_alone_decide_what_is_asked_and_released():
    """Answers of a table whose columns are equal, replayed on one with the same counts of each column and nothing between them.

    There the true scores of what was chosen are below 0, and the true counts of sets are far from the noisy ones.
    """
    schema = Schema(quasi=tuple(Categorical(name=name, taxonomy=Taxonomy.flat(Universe("pqrstuvwxy"))) for name in "abc"))
    apart = np.array(list(product(range(10), repeat=3)) * 4, dtype=np.int64).T.copy()
    equal, even = (
        TableRecords(schema=schema, quasi=tuple(columns)) for columns in (np.stack([apart[0], apart[0], apart[2]]), apart)
    )
    transcript = record(Marginals(), equal, budget=PureDP(1))
    ledgers = [Replay(transcript), Replay(transcript)]
    own, other = (
        Marginals().publish(each, budget=PureDP(1), ledger=ledger).data.frame()
        for each, ledger in zip((equal, even), ledgers, strict=True)
    )
    assert own.equals(other)
    entries = zip(transcript.entries, ledgers[1].trace.entries, strict=True)
    scores = [truth[answer] for (question, answer), (_, truth) in entries if isinstance(question, SelectionQuestion)]
    assert scores[0] < 0
    assert any(question.step.startswith("marginal 1 ") for question, _ in transcript.entries)
