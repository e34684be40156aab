"""Whatever the sequence: no search breaks its bound, measures never fall under refinement, and the check counts right."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hiding import NINE, UNEVEN, oracle, problem_of, problems
from tacita.personal.bounds import BeliefBound, Form, InformationBound, Judge, beliefs, information
from tacita.personal.online import OnlineSanitizer
from tacita.personal.patterns import SensitivePatterns
from tacita.personal.problem import Occurrences
from tacita.personal.searches import Algorithm, Infeasible, Scope, Space, nodes_shown, optimum, sanitize, top_down
from tacita.personal.verification import evidence

BOUNDS = st.one_of(
    st.integers(0, 10).map(lambda tenths: InformationBound(limit=Fraction(tenths, 10))),
    st.tuples(st.integers(1, 19), st.sets(st.sampled_from(list(Form)), min_size=1)).map(
        lambda drawn: BeliefBound(limit=Fraction(drawn[0], 20), forms=tuple(sorted(drawn[1])))
    ),
)
SEARCHES = [algorithm for algorithm in Algorithm if algorithm is not Algorithm.OPTIMUM]


def showings(problem, draw):
    return np.array([draw(st.sampled_from(path)) for path in problem.tree.paths])


@given(problems(), st.data())
def test_measures_are_those_of_an_oracle_that_looks_at_every_tuple(problem, data):
    showing = showings(problem, data.draw)
    blocks = problem.blocks(showing)
    expected, mutual = oracle(problem, showing[problem.sequence])
    assert {form: max(beliefs(problem, blocks, form), default=0) for form in Form} == {form: expected[form] for form in Form}
    assert {length: information(problem, blocks, length) for length in problem.by_length} == pytest.approx(mutual, abs=1e-12)


@given(problems(), st.data(), st.sampled_from(list(Scope)))
def test_the_independent_check_finds_what_the_oracle_finds(problem, data, scope):
    showing = showings(problem, data.draw)
    nodes = nodes_shown(problem, showing, scope=scope)
    expected, mutual = oracle(problem, nodes)
    patterns = tuple(tuple(problem.labels[list(pattern)].tolist()) for pattern in problem.patterns)
    found = evidence(problem.labels[problem.sequence], nodes, patterns=patterns, window=problem.occurrences.window)
    assert found.beliefs == {form: expected[form] for form in Form}
    assert {length: pair[0] for length, pair in found.information.items()} == pytest.approx(mutual, abs=1e-12)


@given(problems(), st.data())
def test_no_measure_falls_when_a_showing_is_refined(problem, data):
    coarse = problem.nothing_shown
    for _ in range(4):
        symbol = data.draw(st.integers(0, problem.labels.size - 1))
        path = problem.tree.paths[symbol]
        depth = path.index(int(coarse[symbol]))
        if depth == len(path) - 1:
            continue
        alone = data.draw(st.booleans())
        node = path[-1] if alone else path[depth + 1]
        fine = coarse.copy()
        members = problem.tree.members[node]
        fine[members[coarse[members] == coarse[symbol]]] = node
        before, after = problem.blocks(coarse), problem.blocks(fine)
        for form in Form:
            assert max(beliefs(problem, after, form), default=0) >= max(beliefs(problem, before, form), default=0)
        for length in problem.by_length:
            assert information(problem, after, length) >= information(problem, before, length) - 1e-12
        coarse = fine


@settings(max_examples=200)
@given(problems(longest=60), BOUNDS, st.sampled_from(SEARCHES), st.sampled_from(list(Scope)))
def test_no_search_breaks_its_bound_and_none_loses_more_than_the_root_everywhere(problem, bound, algorithm, scope):
    outcome = sanitize(problem, bound, algorithm=algorithm, scope=scope)
    if isinstance(outcome, Infeasible):
        assert not bound.keeps(problem, problem.blocks(problem.nothing_shown))
        return
    expected, mutual = oracle(problem, outcome.nodes)
    if isinstance(bound, BeliefBound):
        assert all(expected[form] <= bound.limit for form in bound.forms)
    else:
        assert all(mutual[length] <= float(bound.limit) * problem.entropies[length] + 1e-9 for length in mutual)
    assert outcome.loss_per_symbol <= problem.loss_per_symbol(problem.nothing_shown) + 1e-12


@given(problems(longest=60), BOUNDS)
def test_a_local_release_gives_away_exactly_what_the_global_one_does(problem, bound):
    outcome = sanitize(problem, bound)
    if isinstance(outcome, Infeasible):
        return
    whole, local = (oracle(problem, nodes_shown(problem, outcome.showing, scope=scope)) for scope in Scope)
    assert local[0] == whole[0]
    assert local[1] == pytest.approx(whole[1], abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(problems(taxonomy=UNEVEN, longest=40), BOUNDS)
def test_the_optimum_is_never_worse_than_a_search_in_its_space(problem, bound):
    judge = Judge(problem, bound)
    searched = top_down(judge)
    if searched is None:
        assert optimum(judge, space=Space.SUBTREES) is None
        return
    least = problem.loss(optimum(judge, space=Space.SUBTREES))
    assert least <= problem.loss(searched) + 1e-9
    anywhere = problem.loss(optimum(judge, space=Space.PATHS))
    best = sanitize(problem, bound)
    assert anywhere <= min(least, problem.loss(best.showing)) + 1e-9


@given(problems(longest=40), st.data())
def test_both_ways_of_counting_tuples_agree(problem, data):
    showing = showings(problem, data.draw)
    bits = {int(node): sum(1 << symbol for symbol in np.flatnonzero(showing == node).tolist()) for node in showing}
    by_table = problem.occurrences
    by_walk = Occurrences(by_table.sequence, symbols=by_table.symbols, window=by_table.window)
    by_walk._table = lambda length: None  # noqa: ARG005 - no table for any length
    for pattern in problem.patterns:
        string = tuple(bits[int(showing[symbol])] for symbol in pattern)
        assert by_table.tuples(string) == by_walk.tuples(string)


@settings(max_examples=60, deadline=None)
@given(problems(taxonomy=NINE, longest=60), st.integers(1, 9), st.data())
def test_online_everything_published_so_far_keeps_the_belief_at_every_moment(problem, tenths, data):
    limit = Fraction(tenths, 10)
    codes = tuple(tuple(problem.labels[list(pattern)].tolist()) for pattern in problem.patterns)
    if not codes:
        return
    hidden = SensitivePatterns(codes=codes, window=problem.occurrences.window, universe=NINE.universe)
    plan = dict(zip(problem.labels.tolist(), showings(problem, data.draw).tolist(), strict=True))
    online = OnlineSanitizer(patterns=hidden, taxonomy=NINE, limit=limit, plan=plan)
    kept, nodes = [], []
    for label in problem.labels[problem.sequence].tolist():
        node = online.show(label)
        if node is None:
            continue
        kept.append(label)
        nodes.append(node)
        seen = oracle(problem_of(kept, codes, taxonomy=NINE, window=hidden.window), nodes)[0]
        assert max(seen["tuples-single"], seen["tuples-any"]) <= limit
