"""What one row changes where baskets turn out to be rows of a table, and pairs of columns are chosen and counted."""

from itertools import combinations

import numpy as np
import pytest

from strategies import basket_records
from tacita.auditing import record, replay, transcript_loss
from tacita.privacy.budget import PureDP
from tacita.privacy.questions import SelectionQuestion
from tacita.sets import ItemsetCounts, itemset_counts

COLUMNS = ("ABC", "DEF", "GH", "IJKL")
LABELS = "".join(COLUMNS)
MECHANISM, BUDGET = ItemsetCounts(max_core=8), PureDP(60)
"""So few items may be in a core that they are asked one by one, and columns show."""


def rows(number=150, seed=0):
    """Rows whose columns hang together: one value in three is as in the column before."""
    generator = np.random.default_rng(seed)
    chances = [generator.dirichlet(np.full(len(column), 2.0)) for column in COLUMNS]
    made = []
    for _ in range(number):
        places = [int(generator.choice(len(own), p=own)) for own in chances]
        for column in range(1, len(COLUMNS)):
            if generator.random() < 0.7:
                places[column] = places[column - 1] % len(COLUMNS[column])
        made.append("".join(column[place] for column, place in zip(COLUMNS, places, strict=True)))
    return made


def steps_of(transcript):
    return [question.step for question, _ in transcript.entries]


def transcripts_about_pairs(given, wanted=3):
    """Runs in which columns were found."""
    found = []
    for _ in range(30):
        transcript = record(MECHANISM, basket_records(given, labels=LABELS), budget=BUDGET)
        if any(step.startswith("pairs of columns") for step in steps_of(transcript)):
            found.append(transcript)
        if len(found) == wanted:
            return found
    raise AssertionError


def neighbours(given):
    """With another row, with a basket that is none, and without one."""
    others = [*rows(12, seed=1), "A", "AB", "ABCD", "ABDG", "AEHL", "ADGIJ", LABELS]
    return [[*given, other] for other in others] + [given[:place] + given[place + 1 :] for place in range(0, len(given), 15)]


def test_a_row_loses_epsilon_at_most_and_changes_no_release_but_by_the_answers():
    given = rows()
    records = basket_records(given, labels=LABELS)
    worst = 0.0
    for transcript in transcripts_about_pairs(given):
        own = replay(MECHANISM, records, budget=BUDGET, transcript=transcript)
        for neighbour in neighbours(given):
            other = replay(MECHANISM, basket_records(neighbour, labels=LABELS), budget=BUDGET, transcript=transcript)
            loss = abs(transcript_loss(transcript, own, other))
            assert loss <= float(BUDGET.epsilon) * (1 + 1e-9)
            worst = max(worst, loss)
    assert worst > 0.5 * float(BUDGET.epsilon), "a neighbour that hardly changes anything tests nothing"


def test_a_row_changes_every_score_by_one_and_one_cell_of_each_chosen_pair():
    given = rows()
    (transcript,) = transcripts_about_pairs(given, wanted=1)
    trace = replay(MECHANISM, basket_records(given, labels=LABELS), budget=BUDGET, transcript=transcript)
    choices = sum(isinstance(question, SelectionQuestion) for question, _ in trace.entries)
    assert choices >= 1
    for neighbour in neighbours(given):
        other = replay(MECHANISM, basket_records(neighbour, labels=LABELS), budget=BUDGET, transcript=transcript)
        for (question, mine), (_, theirs) in zip(trace.entries, other.entries, strict=True):
            if isinstance(question, SelectionQuestion):
                assert max(abs(one - two) for one, two in zip(mine, theirs, strict=True)) <= question.sensitivity == 1
            elif question.step.startswith("pairs of columns"):
                counts = np.zeros((2, question.domain), dtype=np.int64)
                counts[0][mine.keys], counts[1][theirs.keys] = mine.values, theirs.values
                assert np.abs(counts[0] - counts[1]).sum() in {0, choices}


def test_what_is_chosen_makes_no_circle(monkeypatch):
    """The first three columns are the same, so that the two best pairs leave a third one that would close a circle."""
    given = [
        f"{'ABC'[place]}{'DEF'[place]}{'GHI'[place]}{'JK'[number % 2]}" for number, place in enumerate([0, 1, 2, 0, 1, 0] * 50)
    ]
    chosen = []
    made = itemset_counts.dealt_rows
    monkeypatch.setattr(
        itemset_counts, "dealt_rows", lambda columns, pairs, **rest: chosen.append(pairs) or made(columns, pairs, **rest)
    )
    for _ in range(10):
        MECHANISM.publish(basket_records(given, labels="ABCDEFGHIJK"), budget=BUDGET)
    assert any(len(pairs) == 3 for pairs in chosen)
    for pairs in chosen:
        group = list(range(4))
        for pair in pairs:
            assert group[pair.first] != group[pair.second]
            group = [group[pair.first] if own == group[pair.second] else own for own in group]


def test_pairs_that_hang_together_come_out():
    given = rows(20_000)
    release = MECHANISM.publish(basket_records(given, labels=LABELS), budget=PureDP(2))
    assert any(draw["step"].startswith("pairs of columns") for draw in release.manifest["budget"]["draws"])
    made = ["".join(labels) for labels in release.data.to_labels()]
    assert all(len(row) == len(COLUMNS) for row in made)
    for first, second in combinations("AEGI", 2):
        truth, found = (sum(first in row and second in row for row in side) / len(side) for side in (given, made))
        assert found == pytest.approx(truth, abs=0.03)
