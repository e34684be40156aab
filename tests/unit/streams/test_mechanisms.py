"""Every mechanism keeps every window within epsilon by a ledger of its own; corrected formulas, published ones caught."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import partial
from math import log

import numpy as np
import pytest

from stream_worlds import Wall, drawing, random_moments
from tacita.errors import ParameterError
from tacita.privacy.funds import Funds
from tacita.privacy.windows import QUANTA
from tacita.streams.pace.running import Pacing
from tacita.streams.protection import Presence, Protection
from tacita.streams.questions import HistogramQuestion
from tacita.streams.records import Moment
from tacita.streams.schedules import Evenly, Republishing, Sampling, single_histograms, trailing_means
from tacita_papers.baselines.absorbing import Absorbing
from tacita_papers.baselines.branching import Branching

CELLS = 4


MAKERS = {
    "uniform": Evenly,
    "sample": Sampling,
    "absorption": Absorbing,
    "adjacent": partial(Republishing, candidates=single_histograms, keep=1),
    "similar": partial(Republishing, candidates=single_histograms, keep=10),
    "average": partial(Republishing, candidates=trailing_means, keep=5),
    "pace": partial(Pacing, cells=CELLS),
    "tree": partial(Branching, cells=CELLS, span=8),
}


def running(name, protection, epsilon, wall):
    amount = Fraction(epsilon)
    paid = {"funds": Funds(amount=amount)} if name == "pace" else {"epsilon": amount}
    return MAKERS[name](protection=protection, wall=wall, **paid)


OF_OWN_WINDOWS = ("uniform", "sample", "adjacent", "similar", "average", "pace", "tree")
ALL = (*OF_OWN_WINDOWS, "absorption")


class Spy:
    """Stands between a mechanism and its windows, and adds up what each person pays, in fractions."""

    def __init__(self, sliding, spends):
        self.inner, self.epsilon, self.spends = sliding.windows, sliding.funds.amount, spends
        sliding.windows = self

    def begin(self, users):
        self.users, self.now = users, defaultdict(Fraction)
        self.inner.begin(users)

    def room(self):
        return self.inner.room()

    def charge(self, quanta, included=None):
        self.inner.charge(quanta, included)
        included = np.ones(self.users.size, dtype=bool) if included is None else included
        for user in self.users[included].tolist():
            self.now[user] += self.epsilon * int(quanta) / QUANTA
        self.now["everybody"] += self.epsilon * int(quanta) / QUANTA

    def end(self):
        self.inner.end()
        self.spends.append((self.users.tolist(), dict(self.now)))


def spied(mechanism):
    named = (getattr(mechanism, name, None) for name in ("counts", "distances", "choices", "total"))
    parts = mechanism.parts if isinstance(mechanism, Branching) else tuple(filter(None, named))
    logs = [[] for _ in parts]
    for part, spends in zip(parts, logs, strict=True):
        Spy(getattr(part, "sliding", part), spends)
    return logs


def worst(logs, contexts):
    """The most that anybody pays in `contexts` successive contexts of its own, over all steps of the plan."""
    own = defaultdict(list)
    for steps in zip(*logs, strict=True):
        users = steps[0][0]
        for user in users:
            own[user].append(sum((now.get(user, Fraction(0)) for _, now in steps), Fraction(0)))
    return max((sum(paid[start : start + contexts]) for paid in own.values() for start in range(len(paid))), default=0)


def worst_common(logs, contexts):
    paid = [sum((now.get("everybody", Fraction(0)) for _, now in steps), Fraction(0)) for steps in zip(*logs, strict=True)]
    return max(sum(paid[start : start + contexts]) for start in range(len(paid)))


@pytest.mark.parametrize("name", OF_OWN_WINDOWS)
@pytest.mark.parametrize("contexts", [1, 2, 7])
@pytest.mark.parametrize("seed", range(6))
def test_nobody_pays_more_than_epsilon_in_any_window(name, contexts, seed):
    mechanism = running(name, Protection(contexts=contexts), 1, drawing(seed))
    logs = spied(mechanism)
    for moment in random_moments(seed):
        mechanism.step(moment)
    assert worst(logs, contexts) <= 1


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("contexts", [1, 5])
def test_no_window_of_timestamps_costs_more_than_epsilon_where_presence_is_private(name, contexts):
    mechanism = running(name, Protection(contexts=contexts, presence=Presence.CHANGED), 2, drawing(3))
    logs = spied(mechanism)
    for moment in random_moments(3):
        mechanism.step(moment.without_people())
    assert worst_common(logs, contexts) <= 2


@pytest.mark.parametrize("name", OF_OWN_WINDOWS)
def test_people_with_longer_windows_are_held_to_them(name):
    protection = Protection(contexts=2, contexts_of={3: 9})
    mechanism = running(name, protection, 1, drawing(5))
    logs = spied(mechanism)
    for moment in random_moments(5):
        mechanism.step(moment)
    own = [
        sum((now.get(3, Fraction(0)) for _, now in steps), Fraction(0)) for steps in zip(*logs, strict=True) if 3 in steps[0][0]
    ]
    assert own
    assert max(sum(own[start : start + 9]) for start in range(len(own))) <= 1


@pytest.mark.parametrize("name", OF_OWN_WINDOWS)
def test_every_question_costs_what_was_charged_for_it(name):
    log = []
    mechanism = running(name, Protection(contexts=4), "1/3", drawing(1, log))
    for moment in random_moments(1):
        mechanism.step(moment)
    assert log
    assert all(0 < question.epsilon <= Fraction(1, 3) for question, _, _ in log)


def test_absorption_is_refused_where_presence_is_public():
    """It counts timestamps: a person who is seldom there would pay too much in contexts of its own."""
    with pytest.raises(ParameterError, match="presence"):
        running("absorption", Protection(contexts=3), 1, drawing())


def test_a_moving_average_of_one_is_the_adjacent_strategy():
    published = []
    for candidates in (single_histograms, trailing_means):
        mechanism = Republishing(
            protection=Protection(contexts=5), epsilon=Fraction(1), wall=drawing(9), candidates=candidates, keep=1
        )
        published.append([mechanism.step(moment).tolist() for moment in random_moments(9)])
    assert published[0] == published[1]


def test_a_moving_average_over_all_of_the_past_is_not_the_most_similar_histogram():
    past = [np.array([0, 32]), np.array([64, 0])]
    assert single_histograms(past).tolist() != trailing_means(past).tolist()


def test_the_first_publication_has_a_quarter_of_epsilon():
    log = []
    mechanism = running("adjacent", Protection(contexts=5), 1, drawing(0, log))
    mechanism.step(Moment(place=0, users=np.array([0]), cells=np.array([1]), size=CELLS))
    [(question, truth, _)] = log
    assert isinstance(question, HistogramQuestion)
    assert (question.epsilon, question.rate, truth.tolist()) == (Fraction(1, 4), Fraction(1, 8), [0, 1, 0, 0])


def test_a_repeated_histogram_costs_nothing_but_its_test():
    mechanism = running(
        "adjacent",
        Protection(contexts=3),
        1,
        Wall(lambda question, truth: truth if isinstance(question, HistogramQuestion) else True),
    )
    moment = Moment(place=0, users=np.array([0]), cells=np.array([1]), size=CELLS)
    for _ in range(10):
        mechanism.step(moment)
    mechanism.counts.windows.begin(np.array([0]))
    assert mechanism.counts.windows.room().tolist() == [QUANTA]


def test_the_published_ledger_goes_negative_at_the_fourth_publication():
    """Algorithm 1 as printed adds the shares of distances to a ledger of half the budget."""
    epsilon, contexts, spent, left = Fraction(1), 10, [], []
    for _ in range(5):
        left.append(epsilon / 2 - sum(spent[-(contexts - 1) :]))
        spent.append(epsilon / (2 * contexts) + left[-1] / 2)
    assert [float(value) for value in left[:4]] == [0.5, 0.2, 0.05, -0.025]


def test_the_published_noise_of_distances_overspends_by_contexts_over_cells():
    """Equation 7 has m where the number of cells belongs: the distance is a mean over cells, of sensitivity 2 / C."""
    contexts, cells, epsilon = 100, 20, 1.0
    share = epsilon / (2 * contexts) / 2
    printed, needed = 2 / (contexts * share), (2 / cells) / share
    assert needed / printed == pytest.approx(5)


def test_the_published_search_for_the_closest_histogram_has_an_unbounded_loss():
    candidates = np.array([[163, 160], [149, 168]])  # in sixteenths
    nearest = [int(np.argmin(np.abs(candidates - 16 * np.array(counts)).sum(axis=1))) for counts in ([10, 10], [9, 11])]
    assert nearest == [0, 1]  # one status changed the output with certainty


def test_sample_as_published_overspends_on_people_who_are_seldom_there():
    """Everything every m timestamps: a person who comes at these alone pays each time."""
    contexts = 5
    paid = [1 for _ in range(0, 50, contexts)]
    assert sum(paid[:contexts]) == 5
    mechanism = running("sample", Protection(contexts=contexts), 1, drawing(2))
    logs = spied(mechanism)
    for place in range(50):
        users = np.array([0, 1]) if place % contexts == 0 else np.array([1])
        mechanism.step(Moment(place=place, users=users, cells=np.zeros(users.size, dtype=np.intp), size=CELLS))
    assert worst(logs, contexts) == 1


def test_the_ledger_of_public_presence_shows_who_was_there_in_the_noise_scale():
    """Why presence needs a window for everybody: with and without one person, the same question has another law."""
    scales = []
    for first in (np.array([0]), np.array([], dtype=np.intp)):
        asked = []
        mechanism = running("adjacent", Protection(contexts=3), 1, drawing(0, asked))
        mechanism._candidates = lambda _: np.full((1, CELLS), 10**9)  # nothing is ever near
        for users in (first, np.array([0, 1])):
            mechanism.step(Moment(place=0, users=users, cells=np.zeros(users.size, dtype=np.intp), size=CELLS))
        scales.append([question.rate for question, _, _ in asked if isinstance(question, HistogramQuestion)][-1])
    assert scales == [Fraction(1, 16), Fraction(1, 8)]
    far = HistogramQuestion(step="counts", epsilon=Fraction(1, 8), sensitivity=2, cells=1)
    assert far.log_ratio(np.array([40]), np.array([0]), np.array([0])) == 0
    log_ratio = log(np.tanh(1 / 32) / np.tanh(1 / 16)) + 40 * (1 / 8 - 1 / 16)
    assert log_ratio > 1.8  # at an output of 40 in an empty cell, and without bound beyond


def test_empty_timestamps_and_the_very_first_are_published():
    nobody = Moment(place=0, users=np.zeros(0, dtype=np.intp), cells=np.zeros(0, dtype=np.intp), size=CELLS)
    for name in OF_OWN_WINDOWS:
        mechanism = running(name, Protection(contexts=3), 1, drawing(4))
        assert mechanism.step(nobody).shape == (CELLS,)
    assert running("pace", Protection(contexts=3), 1, drawing(4)).step(nobody).tolist() == [0] * CELLS


def test_totals_of_the_tree_are_the_sums_of_the_nodes_that_binary_digits_name():
    """Without noise every timestamp is what it was, also past the end of a tree; with it, each node is drawn once."""
    log = []

    def answer(question, truth):
        log.append((question.step, int(truth.sum())))
        return truth

    mechanism = running("tree", Protection(contexts=3), 1, Wall(answer))
    moments = list(random_moments(4, steps=20))
    assert [mechanism.step(moment).tolist() for moment in moments] == [(16 * moment.counts()).tolist() for moment in moments]
    sizes = [moment.users.size for moment in moments]
    assert [total for step, total in log if step.startswith("level 3")] == [sum(sizes[:8]), sum(sizes[8:16])]
    pairs = [first + second for first, second in zip(sizes[::2], sizes[1::2], strict=True)]
    assert [total for step, total in log if step.startswith("level 1")] == pairs


def test_the_total_of_a_whole_tree_is_better_than_the_sum_of_uniform():
    """One node of a ninth of epsilon against 256 counts of all of it, in 100 cells; the noise is seeded."""
    truth, off = np.full(100, 5), {}
    for name, make in (("uniform", Evenly), ("tree", partial(Branching, cells=100, span=256))):
        mechanism = make(protection=Protection(contexts=1, presence=Presence.ADDED), epsilon=Fraction(1), wall=drawing(3))
        published = sum(mechanism.step(Moment.of_counts(place, truth)) for place in range(256)) / 16
        off[name] = np.abs(published - 256 * truth).mean()
    assert off["tree"] < 0.75 * off["uniform"]


def test_a_tree_that_lost_its_open_sums_goes_on_from_its_last_total():
    mechanism = running("tree", Protection(contexts=3), 1, Wall(lambda _, truth: truth))
    moments = list(random_moments(4, steps=12))
    for moment in moments[:3]:
        mechanism.step(moment)
    mechanism.abandon_block()
    assert mechanism.held == 0
    assert mechanism.step(moments[3]).tolist() == (16 * moments[3].counts()).tolist()


@pytest.mark.parametrize("name", ["uniform", "sample", "adjacent", "tree", "pace"])
def test_the_interval_of_counts_that_were_drawn_anew_holds_95_of_100(name):
    """By the law of their noise, which is nothing like normal; 300 counts or more, seeded. Repeated counts have none."""
    mechanism = running(name, Protection(contexts=2), 1, drawing(2))
    moment = Moment(place=0, users=np.arange(50), cells=np.arange(50, dtype=np.intp) % CELLS, size=CELLS)
    inside = []
    for _ in range(300):
        mechanism.step(moment)
        assert (mechanism.interval is not None) == mechanism.is_fresh
        if mechanism.interval is not None:
            low, high = mechanism.interval
            inside.append((low <= moment.counts()) & (moment.counts() <= high))
    assert len(inside) >= 40
    assert 0.92 < np.mean(inside) < 0.98


def test_questions_about_distances_have_the_even_share_of_the_longest_window():
    protection = Protection(contexts=1, contexts_of={0: 5})
    for name in ("adjacent", "similar"):
        mechanism = running(name, protection, 1, Wall(drawing(1)))
        guards = [part.windows.room()[0] for part in (mechanism.distances, mechanism.choices) if part is not None]
        assert set(guards) == {QUANTA // 5}


@pytest.mark.parametrize("contexts", [3, 5])
def test_a_block_holds_the_contexts_that_paid_for_it_and_no_others(contexts, monkeypatch):
    """People who are measured at first and then seldom there: some have no room for a block, and several blocks follow."""
    monkeypatch.setattr("tacita.streams.pace.running.Rates.best", lambda *_, **__: 1)  # one measurement takes the whole window
    pacing = running("pace", Protection(contexts=contexts), 1, Wall(lambda _, truth: truth.copy()))
    aside, left_out, sums = [], 0, []
    set_aside, ask_block = pacing.counts.set_aside, pacing.counts.ask_block

    def paying(quanta, included=None):
        nonlocal left_out
        aside.append(int(included.sum()))
        left_out += int((~included).sum())
        set_aside(quanta, included)

    def asking(question, truth):
        sums.append((int(truth.sum()), sum(aside)))
        aside.clear()
        return ask_block(question, truth)

    monkeypatch.setattr(pacing.counts, "set_aside", paying)
    monkeypatch.setattr(pacing.counts, "ask_block", asking)
    for time in range(80):
        there = [person for person in range(6) if time < 2 or (time > 40 and (time + person) % 7 == 0)]
        users = np.array(there, dtype=np.intp)
        pacing.step(Moment(place=time, users=users, cells=users % CELLS, size=CELLS))
    assert left_out
    assert len(sums) > 1
    assert all(counted == paid for counted, paid in sums)
