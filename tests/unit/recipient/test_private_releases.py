"""`tacita verify` recomputes plan, noise and promise of a private release; a forger who keeps the format is found out."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from forging import forged
from mechanisms import CASES
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError
from tacita.networks import NetworkRecords, ShapeNetwork, VertexBlocks
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.laws import Law, noise_in_words
from tacita.public.steps import ROOT_UNIT
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import NGram, PrivateLength, Raked, SequenceRecords
from tacita.sets import BasketRecords, ItemsetCounts, StableHistogram
from tacita.streams import Pace, Republish, Sample, StreamRecords, Uniform
from tacita.tables import Categorical, Marginals, Schema, TableRecords
from tacita.verifying import verify

DRAWS = "every draw belongs to a step, costs no more, and has the noise that one protected unit needs"
PLAN = "the plan is the method's own, and adds up to the budget"
PROMISE = "the promise is what the method proves with these parameters"
PARAMETERS = "the parameters are those of the method"
NOISE = "that the noise was drawn, and from a secure source"


def failed(folder):
    return {finding.check: finding.found for finding in verify(folder).failed}


def network(folder):
    vertices = Universe([f"v{place}" for place in range(12)])
    records = NetworkRecords.from_labels([("v0", "v1"), ("v1", "v2"), ("v3", "v4")], universe=vertices, name="n")
    return ShapeNetwork().publish(records, budget=PureDP(1)).write(folder)


@pytest.mark.parametrize("given", ["blocks", "sides"])
def test_an_honest_network_with_public_blocks_or_sides_passes_and_says_what_the_folder_lacks(given, tmp_path):
    vertices = Universe([f"v{place}" for place in range(12)])
    records = NetworkRecords.from_labels([("v0", "v9"), ("v1", "v8"), ("v3", "v7")], universe=vertices, name="n")
    halves = VertexBlocks.ranges(12, blocks=2)
    records = records.across(halves) if given == "sides" else replace(records, blocks=halves)
    found = verify(ShapeNetwork().publish(records, budget=PureDP(1)).write(tmp_path / "release"))
    assert found.passed, str(found)
    assert f"the plan against the method, since its {given} are not in the folder" in found.not_checked


def streamed(method, folder, budget="1"):
    events = [(time, f"p{person}", "A") for time in range(8) for person in range(5) if (person + time) % 3]
    grid = TimeGrid(start=0, interval=1, intervals=8)
    records = StreamRecords.from_events(events, cells=Universe(["A", "B"]), grid=grid, name="s")
    budget = PureDP(budget) if isinstance(budget, str) else budget
    return method.publish(records, budget=budget).write(folder)


def grams(folder):
    records = SequenceRecords.from_labels(["AB", "ABA", "BA"] * 20, universe=Universe("AB"), name="s")
    return NGram(max_length=3, max_gram=2).publish(records, budget=PureDP(8)).write(folder)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name} {case.mechanism}"[:60])
def test_an_honest_release_of_every_method_passes(case, tmp_path):
    release = case.mechanism.publish(case.records(["AB", "ABC", "B", "CA"] * 8), budget=case.budget)
    found = verify(release.write(tmp_path / "release"))
    assert found.passed, str(found)
    assert NOISE in found.not_checked


@pytest.mark.parametrize("presence", ["public", "changed", "added"])
@pytest.mark.parametrize("method", [Uniform, Sample, Pace, Republish])
def test_an_honest_stream_of_every_method_passes(method, presence, tmp_path):
    found = verify(streamed(method(contexts=3, presence=presence), tmp_path / "release"))
    assert found.passed, str(found)


def test_an_honest_release_with_a_bought_length_passes(tmp_path):
    records = SequenceRecords.from_labels(["AB", "ABA", "BA"] * 20, universe=Universe("AB"), name="s")
    release = NGram(max_length=PrivateLength(longest=5, share="1/7")).publish(records, budget=PureDP(3))
    assert release.manifest["mechanism"]["asked"] == {"max_length": str(PrivateLength(longest=5, share="1/7"))}
    found = verify(release.write(tmp_path / "release"))
    assert found.passed, str(found)


def draw(manifest, name):
    return next(each for each in manifest["budget"]["draws"] if each["step"].startswith(name))


def group_of_a_thousand(manifest):
    guarantee = manifest["guarantee"]
    old, new = guarantee["neighbours"]["unit"], "any group of up to 1,000 edges"
    guarantee["neighbours"] |= {"unit": new, "edges": 1000}
    guarantee["statement"] = guarantee["statement"].replace(old, new)
    manifest["mechanism"]["parameters"]["correlated_edges"] = 1000


def edges_sold_as_persons(manifest):
    guarantee = manifest["guarantee"]
    guarantee["statement"] = guarantee["statement"].replace(guarantee["neighbours"]["unit"], "one record")
    guarantee["neighbours"] = {"relation": "add-remove-record", "unit": "one record"}


def half_of_the_noise(manifest):
    degrees = draw(manifest, "degrees")
    degrees["noise"] = f"discrete Laplace, scale {1 / Fraction(degrees['epsilon'])}, all kept"


def forty_rounds(manifest):
    degrees = draw(manifest, "degrees")
    others = [each for each in manifest["budget"]["draws"] if each is not degrees]
    manifest["budget"]["draws"] = [*others, *({**degrees, "step": f"degrees, round {place}"} for place in range(1, 41))]


def noise(words, step="degrees"):
    return lambda manifest: draw(manifest, step).update(noise=words)


def no_draws(manifest):
    manifest["budget"]["draws"] = []


def other_epsilon(manifest):
    guarantee = manifest["guarantee"]
    guarantee["epsilon"], guarantee["statement"] = "0.1", guarantee["statement"].replace(" 1-diff", " 0.1-diff")


def a_seed(manifest):
    manifest["noise_source"] = "a seeded source"


def unknown_parameter(manifest):
    manifest["mechanism"]["parameters"] |= {"taxonomy": "0" * 64}


def dearer_step(manifest):
    plan = manifest["budget"]["plan"]
    first, second = plan["parts"][:2]
    first["epsilon"], second["epsilon"] = "0.35", "0.15"


NETWORK = [
    (group_of_a_thousand, DRAWS, "too small for its epsilon"),
    (edges_sold_as_persons, PROMISE, "adding or removing one edge"),
    (half_of_the_noise, DRAWS, "too small for its epsilon"),
    (noise("ladder, rungs at a scale of 0.001", "triangles"), DRAWS, "too small"),
    (noise("permute-and-flip over 3 candidates"), DRAWS, "another law"),
    (forty_rounds, DRAWS, "not drawn in rounds"),
    (no_draws, DRAWS, "no draw is listed"),
    (noise("none"), DRAWS, "no question writes its noise as 'none'"),
    (other_epsilon, PLAN, "costs more than the guarantee"),
    (a_seed, PROMISE, "void, and does not say so"),
    (unknown_parameter, PARAMETERS, "taxonomy"),
    (dearer_step, PLAN, "at another price"),
]


@pytest.mark.parametrize(("change", "check", "message"), NETWORK, ids=[str(place) for place in range(len(NETWORK))])
def test_a_forged_network_is_refused(change, check, message, tmp_path):
    found = failed(forged(network(tmp_path / "release"), tmp_path / "forged", change))
    assert message in found[check]


def window_of_four_thousand(manifest):
    guarantee = manifest["guarantee"]
    old, new = guarantee["neighbours"]["unit"], guarantee["neighbours"]["unit"].replace("any 4 ", "any 4,000 ")
    guarantee["neighbours"] |= {"unit": new, "timestamps": 4000}
    guarantee["statement"] = guarantee["statement"].replace(old, new)
    manifest["mechanism"]["parameters"]["contexts"] = 4000


def full_price(manifest):
    each = manifest["budget"]["draws"][0]
    each |= {"epsilon": "1", "noise": "discrete Laplace, scale 2, in all 3 cells", "note": each["note"].replace("0.25", "1")}


def more_draws_than_time_steps(manifest):
    each = manifest["budget"]["draws"][0]
    each["note"] = each["note"].replace("8 draws", "9 draws")


STREAM = [
    (window_of_four_thousand, PLAN, "for another window"),
    (noise("discrete Laplace, scale 0.001, in all 3 cells", "counts"), DRAWS, "too small"),
    (noise("from discrete Laplace, scale 0.001 to 0.002, in all 3 cells", "counts"), DRAWS, "no question writes"),
    (full_price, DRAWS, "costs more than its step"),
    (more_draws_than_time_steps, DRAWS, "other prices or time steps"),
]


@pytest.mark.parametrize(("change", "check", "message"), STREAM, ids=[str(place) for place in range(len(STREAM))])
def test_a_forged_stream_is_refused(change, check, message, tmp_path):
    release = streamed(Uniform(contexts=4, presence="changed"), tmp_path / "release")
    assert message in failed(forged(release, tmp_path / "forged", change))[check]


def test_draws_that_fill_a_common_window_with_more_than_its_budget_are_refused(tmp_path):
    def at_full_price(manifest):
        counts = draw(manifest, "counts")
        counts |= {"epsilon": "1", "noise": "discrete Laplace, scale 2, in all 3 cells"}
        counts["note"] = "8 draws in time steps 0 to 7, epsilon 1 each; any 4 successive time steps cost at most 1"

    release = streamed(Sample(contexts=4, presence="changed"), tmp_path / "release")
    assert failed(release) == {}
    assert "8 draws in 8 time steps" in failed(forged(release, tmp_path / "forged", at_full_price))[DRAWS]


def test_rounds_that_each_cost_the_whole_step_are_refused(tmp_path):
    def again(manifest):
        first = draw(manifest, "starts, round 1")
        first["epsilon"] = next(step["epsilon"] for step in manifest["budget"]["plan"]["parts"] if step["name"] == "starts")
        first["noise"] = f"discrete Laplace, scale {1 / Fraction(first['epsilon'])}, all kept"
        kept = [each for each in manifest["budget"]["draws"] if not each["step"].startswith("starts")]
        manifest["budget"]["draws"] = [*kept, *({**first, "step": f"starts, round {place}"} for place in (1, 2))]

    assert "along a path" in failed(forged(grams(tmp_path / "release"), tmp_path / "forged", again))[DRAWS]


def test_noise_for_one_gram_of_a_sequence_of_three_is_too_small(tmp_path):
    def for_one(manifest):
        for each in manifest["budget"]["draws"]:
            if each["step"].startswith("grams"):
                each["noise"] = f"discrete Laplace, scale {1 / Fraction(each['epsilon'])}, all kept"

    assert "too small" in failed(forged(grams(tmp_path / "release"), tmp_path / "forged", for_one))[DRAWS]


def test_a_threshold_that_a_delta_does_not_allow_is_refused(tmp_path):
    baskets = BasketRecords.from_labels([["A"], ["A", "B"]] * 40, universe=Universe("AB"), name="b")
    release = StableHistogram().publish(baskets, budget=ApproxDP("1", "1e-9")).write(tmp_path / "release")

    def lower(manifest):
        draw(manifest, "baskets")["noise"] = "discrete Laplace, scale 1, kept if the noisy count is at least 2"

    assert failed(release) == {}
    assert "too low for its delta" in failed(forged(release, tmp_path / "forged", lower))[DRAWS]


def test_steps_that_noisy_answers_skipped_are_named(tmp_path):
    release = network(tmp_path / "release")

    def without_triangles(manifest):
        manifest["budget"]["draws"] = [each for each in manifest["budget"]["draws"] if each["step"] != "triangles"]

    found = verify(forged(release, tmp_path / "forged", without_triangles))
    assert next(each.found for each in found if each.check == DRAWS) == "not drawn, by a rule on noisy answers: triangles"


def test_the_words_of_noise_are_read_and_no_others():
    between = noise_in_words("from discrete Laplace, scale 2, in all 3 cells to discrete Laplace, scale 8, in all 3 cells")
    assert (between.law, between.smallest, between.largest) == (Law.COUNTS, 2, 8)
    assert (
        noise_in_words(
            "discrete Laplace, scale 1.5 to 3, kept if the noisy count is at least 4 to 9, depending on the block"
        ).threshold
        == 4
    )
    for words in ("discrete Laplace, scale 0/0, all kept", "discrete Laplace, scale 1, all kept, mostly", "", "9" * 5000):
        with pytest.raises(InputError, match="no question writes"):
            noise_in_words(words)


def rows(folder):
    schema = Schema(quasi=[Categorical(name=name, taxonomy=Taxonomy.flat(Universe("xyz"))) for name in ("a", "b")])
    records = TableRecords(schema=schema, quasi=(np.tile([0, 2], 300), np.tile([1, 2], 300)), name="t")
    return Marginals().publish(records, budget=ApproxDP("1", "1e-9")).write(folder)


def smaller_variance(manifest):
    first = draw(manifest, "column 1")
    first["noise"] = f"discrete Gaussian, variance {Fraction(1, 4) / Fraction(first['rho'])}, all kept"


def dearer_rho(manifest):
    first = draw(manifest, "column 1")
    first["rho"] = str(2 * Fraction(first["rho"]))


def laplace_for_a_rho(manifest):
    draw(manifest, "column 1")["noise"] = "discrete Laplace, scale 100, all kept"


def smaller_delta(manifest):
    guarantee = manifest["guarantee"]
    guarantee["delta"], guarantee["statement"] = "0.0000000001", guarantee["statement"].replace("0.000000001", "0.0000000001")


RHO = [
    (smaller_variance, DRAWS, "too small for its rho"),
    (dearer_rho, DRAWS, "costs more than its step allows"),
    (laplace_for_a_rho, DRAWS, "another law"),
    (smaller_delta, PLAN, "costs more than the guarantee promises"),
]


@pytest.mark.parametrize(("change", "check", "message"), RHO, ids=[each[0].__name__ for each in RHO])
def test_a_release_whose_rho_is_forged_is_refused(change, check, message, tmp_path):
    release = rows(tmp_path / "release")
    assert failed(release) == {}
    assert message in failed(forged(release, tmp_path / "forged", change))[check]


def long_baskets(folder):
    baskets = Ragged.from_lists([list(range(20)), list(range(5, 25))] * 100)
    records = BasketRecords(baskets=baskets, universe=Universe([str(item) for item in range(30)]), name="b")
    return ItemsetCounts().publish(records, budget=ApproxDP("1", "1e-9")).write(folder)


def for_one_item(manifest):
    items = draw(manifest, "items of baskets")
    items["noise"] = f"discrete Gaussian, variance {1 / (2 * Fraction(items['rho']))}, all kept"


def just_too_small(manifest):
    items = draw(manifest, "items of baskets")
    items["noise"] = f"discrete Gaussian, variance {Fraction(2**40 - 1) / (2 * Fraction(items['rho']))}, all kept"


def half_of_the_price(manifest):
    items = draw(manifest, "items of baskets")
    items["rho"] = str(Fraction(items["rho"]) / 2)


@pytest.mark.parametrize("change", [for_one_item, just_too_small, half_of_the_price], ids=lambda change: change.__name__)
def test_baskets_in_rho_whose_noise_is_forged_are_refused(change, tmp_path):
    release = long_baskets(tmp_path / "release")
    assert failed(release) == {}
    assert "too small for its rho" in failed(forged(release, tmp_path / "forged", change))[DRAWS]


def repeats_of_one_number(manifest):
    repeats = draw(manifest, "repeats")
    repeats["noise"] = f"discrete Gaussian, variance {Fraction(2 * ROOT_UNIT**2 - 1) / (2 * Fraction(repeats['rho']))}, all kept"


def steps_of_less_than_one_step(manifest):
    steps = draw(manifest, "steps")
    steps["noise"] = f"discrete Gaussian, variance {Fraction(ROOT_UNIT**2 - 1) / (2 * Fraction(steps['rho']))}, all kept"


def lengths_at_half_of_the_price(manifest):
    lengths = draw(manifest, "lengths")
    lengths["rho"] = str(Fraction(lengths["rho"]) / 2)


@pytest.mark.parametrize(
    "change",
    [repeats_of_one_number, steps_of_less_than_one_step, lengths_at_half_of_the_price],
    ids=lambda change: change.__name__,
)
def test_sequences_in_rho_whose_noise_is_forged_are_refused(change, tmp_path):
    universe = Universe([str(place) for place in range(6)])
    records = SequenceRecords(sequences=Ragged.from_lists([[0, 1, 2, 5], [3, 4, 3]] * 300), universe=universe, name="s")
    release = Raked(max_length=9).publish(records, budget=ApproxDP("1", "1e-9")).write(tmp_path / "release")
    assert failed(release) == {}
    assert "too small for its rho" in failed(forged(release, tmp_path / "forged", change))[DRAWS]


def cheap_steps(manifest):
    counts = draw(manifest, "counts of a timestamp")
    counts["note"] = re.sub(r"rho [0-9./]+( to [0-9./]+)? each", f"rho 1/1000000000 to {counts['rho']} each", counts["note"])


def in_epsilon(manifest):
    counts = draw(manifest, "counts of a timestamp")
    counts["note"] = counts["note"].replace("rho", "epsilon")


def half_of_the_variance(manifest):
    counts = draw(manifest, "counts of a timestamp")
    counts["noise"] = f"discrete Gaussian, variance {1 / (2 * Fraction(counts['rho']))}, in all 3 cells"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cheap_steps, "too small for its smallest rho"),
        (in_epsilon, "does not say in which time steps"),
        (half_of_the_variance, "too small for its rho"),
    ],
)
def test_a_stream_in_rho_whose_noise_is_forged_is_refused(change, message, tmp_path):
    release = streamed(Pace(contexts=3), tmp_path / "release", ApproxDP("2", "1e-6"))
    assert failed(release) == {}
    assert message in failed(forged(release, tmp_path / "forged", change))[DRAWS]
