"""From records to a verified release and back."""

import dataclasses
import inspect
import json
from fractions import Fraction
from xml.etree import ElementTree as ET

import jsonschema
import numpy as np
import pytest

from hiding import NINE
from tacita.arrays.ragged import Ragged
from tacita.auditing.product import QUICK
from tacita.errors import InfeasibleError, InputError, ParameterError, VerificationError
from tacita.io import FileFormat
from tacita.kinds import method_named
from tacita.personal import (
    BeliefBound,
    InformationBound,
    OnlineHiding,
    PaperBound,
    PatternHiding,
    PatternList,
    PersonalRecords,
    PublishedPersonal,
    Scope,
    pattern_hiding,
    read_personal,
    read_published_personal,
    searches,
)
from tacita.personal.records import time_spent
from tacita.personal.verification import evidence, is_generalization
from tacita.privacy.publishing import VerifiedMethod
from tacita.public.taxonomy import equal_width_bins
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.schemas import manifest_schema
from tacita.utility.personal import aligned, judged, pictures, report

PATTERNS = PatternList((("a", "b"), ("c", "d")))
HIDING = PatternHiding(bound=BeliefBound(limit="0.4"), patterns=PATTERNS, taxonomy=NINE, window=4)
ONLINE = OnlineHiding(belief=Fraction(2, 5), patterns=PATTERNS, taxonomy=NINE, window=4)


def records_of(*lengths, seed=0):
    generator = np.random.default_rng(seed)
    return PersonalRecords(
        sequences=Ragged.from_lists([generator.integers(0, 9, length).tolist() for length in lengths]),
        universe=NINE.universe,
        file_format=FileFormat.CSV,
    )


def infeasible_with(other):
    return PersonalRecords(sequences=Ragged.from_lists([[0, 1] * 20, other, []]), universe=NINE.universe)


def test_pattern_hiding_is_a_verified_method_of_frozen_keywords():
    assert isinstance(HIDING, VerifiedMethod)
    assert all(field.kw_only for field in dataclasses.fields(PatternHiding))
    text = inspect.getdoc(PatternHiding)
    places = [text.find(f"{part}:") for part in ("Needs", "Guarantees", "Protects", "Verified by", "Not covered", "Reference")]
    assert min(places) > 0
    assert places == sorted(places)


@pytest.mark.parametrize(("name", "loaded"), [("pattern-hiding", PatternHiding), ("online-hiding", OnlineHiding)])
def test_every_field_has_an_option(name, loaded):
    options = {option.field_name for option in method_named(name).options}
    assert options == {field.name for field in dataclasses.fields(loaded)}


def test_explain_says_what_the_release_will_promise():
    for hiding in (HIDING, ONLINE):
        assert hiding.publish(records_of(200)).guarantee.statement() == hiding.explain().facts[0]


@pytest.mark.parametrize("bound", ["belief=0.4", "information=0.3", "every-pattern", "printed=0.5"])
@pytest.mark.parametrize("file_format", ["csv", "parquet", "jsonl"])
def test_a_release_fits_the_schema_and_is_read_back(tmp_path, bound, file_format):
    hiding = dataclasses.replace(HIDING, bound=BeliefBound.parse(bound))
    release = hiding.publish(records_of(200, 300))
    folder = release.write(tmp_path / "out", file_format=file_format)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    jsonschema.validate(manifest, manifest_schema(), format_checker=jsonschema.FormatChecker())
    opened = read_published_personal(folder)
    assert opened.to_labels() == release.data.to_labels()
    assert opened.taxonomy == NINE
    assert release.guarantee.holds == (bound != "printed=0.5")


def test_a_release_whose_tree_was_changed_is_refused(tmp_path):
    folder = HIDING.publish(records_of(200)).write(tmp_path / "out")
    (folder / "taxonomy.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="must hold the taxonomy that its manifest describes"):
        read_published_personal(folder)


def test_a_universe_from_the_data_voids_the_promise():
    universe = Universe.observed("abcdefghi")
    records = PersonalRecords(sequences=records_of(200).sequences, universe=universe)
    guarantee = HIDING.publish(records).guarantee
    assert not guarantee.holds
    assert guarantee.statement().startswith("NOT PRIVATE")


def test_the_manifest_depends_on_public_facts_only():
    assert HIDING.publish(records_of(200)).manifest == HIDING.publish(records_of(300, 400, seed=1)).manifest


def test_records_are_left_as_they_were():
    records = records_of(200)
    before = records.sequences.codes.tobytes()
    HIDING.publish(records)
    assert records.sequences.codes.tobytes() == before


def test_several_processes_publish_what_one_does_and_tell_how_far_they_are():
    records, told = records_of(*[120] * 50), []
    one = HIDING.publish(records).data.to_labels()
    two = dataclasses.replace(HIDING, workers=2).publish(records, progress=lambda *done: told.append(done)).data.to_labels()
    assert one == two
    assert told[-1] == (50, 50)
    assert told == sorted(told)


def test_everybody_is_treated_as_if_nobody_else_were_there():
    together = HIDING.publish(records_of(200, 300)).data.to_labels()
    apart = [
        HIDING.publish(PersonalRecords(sequences=Ragged.from_lists([row]), universe=NINE.universe)).data.to_labels()[0]
        for row in records_of(200, 300).sequences.to_lists()
    ]
    assert sorted(together) == sorted(apart)


def test_an_infeasible_person_is_refused_by_place_and_rule_or_left_out():
    records = infeasible_with(records_of(300).sequences.to_lists()[0])
    with pytest.raises(InfeasibleError, match=r"person 1: belief .* is above the limit before anything is shown"):
        HIDING.publish(records)
    release = dataclasses.replace(HIDING, infeasible=pattern_hiding.OnInfeasible.LEAVE_OUT).publish(records)
    assert [len(row) for row in release.data.to_labels()] == [0, 300]
    assert [shown.person for shown in aligned(records, release.data)] == [2, 1]
    assert "left out" in " ".join(release.manifest["rules"])


def test_a_search_that_lies_is_caught_and_nothing_is_published(monkeypatch):
    def shows_everything(problem, _bound, **options):
        from tacita.personal.searches import Sanitized

        showing = problem.everything_shown
        return Sanitized(nodes=showing[problem.sequence], showing=showing, algorithm=options["algorithm"], loss_per_symbol=0.0)

    monkeypatch.setattr(pattern_hiding, "sanitize", shows_everything)
    for bound in ("belief=0.4", "information=0.3", "every-pattern", "push-forward=0.5"):
        with pytest.raises(VerificationError, match="person 1: the finished sequence does not keep the bound"):
            dataclasses.replace(HIDING, bound=BeliefBound.parse(bound)).publish(records_of(200))


def test_a_node_that_is_not_above_its_symbol_is_caught():
    sequence = np.array([0, 1, 2])
    assert is_generalization(sequence, np.array([0, NINE.root, NINE.parents[2]]), NINE.parents)
    assert not is_generalization(sequence, np.array([0, 0, 2]), NINE.parents)
    assert not is_generalization(sequence, np.array([0, 1]), NINE.parents)


def test_the_check_sees_a_place_that_a_local_release_should_have_hidden():
    sequence = np.array([0, 1, 2, 2, 1, 0] * 5)
    nodes = np.full(sequence.size, NINE.root)
    hidden = evidence(sequence, nodes, patterns=((0, 1),), window=2)
    nodes[:2] = sequence[:2]
    seen = evidence(sequence, nodes, patterns=((0, 1),), window=2)
    assert hidden.beliefs["tuples-single"] < 1
    assert seen.beliefs["tuples-single"] == 1


def test_the_check_looks_at_what_is_published_and_not_at_the_map(monkeypatch):
    """A local release that forgets to hide places must be caught, although the map that it was made from is fine."""
    monkeypatch.setattr(searches, "nodes_shown", lambda problem, _showing, *, scope: problem.labels[problem.sequence])  # noqa: ARG005
    with pytest.raises(VerificationError, match="does not keep the bound"):
        dataclasses.replace(HIDING, scope=Scope.LOCAL).publish(records_of(200))


def test_a_release_of_which_one_form_is_too_high_is_refused():
    found = evidence(np.array([0, 1, 2, 2, 1, 0] * 5), np.full(30, NINE.root), patterns=((0, 1),), window=2)
    low, high = min(found.beliefs, key=found.beliefs.get), max(found.beliefs, key=found.beliefs.get)
    between = (found.beliefs[low] + found.beliefs[high]) / 2
    assert found.within_belief(between, (low,))
    assert not found.within_belief(between, (low, high))


def test_the_audit_passes_pattern_hiding_and_its_check_refuses_raw_records():
    from contextlib import contextmanager

    from tacita.auditing import audit_verified

    @contextmanager
    def watch(_title):
        yield lambda *_done: None

    checks = audit_verified(method_named("pattern-hiding"), None, effort=dataclasses.replace(QUICK, data_sets=3), watch=watch)
    checks += audit_verified(method_named("online-hiding"), None, effort=dataclasses.replace(QUICK, data_sets=3), watch=watch)
    assert len(checks) == 7
    assert all(check.passed for check in checks), [check.summary for check in checks]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"taxonomy": None}, "needs a taxonomy, or bins"),
        ({"bins": (10,)}, "and not both"),
        ({"workers": 0}, "workers must be a whole number"),
        ({"bound": PaperBound(limit="0.5", reading="printed"), "scope": Scope.LOCAL}, "says nothing about local releases"),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(changes, message):
    with pytest.raises(ParameterError, match=message):
        dataclasses.replace(HIDING, **changes)


def test_a_taxonomy_of_other_labels_is_refused():
    records = PersonalRecords.from_labels([["x"]], universe=Universe("xy"))
    with pytest.raises(ParameterError, match="over the universe of the sequences"):
        HIDING.publish(records)


def test_bins_make_the_taxonomy_of_numeric_labels():
    universe = Universe([str(number) for number in range(1, 31)])
    hiding = PatternHiding(bound=InformationBound(limit="0.5"), patterns=PatternList((("1", "2"),)), bins=(10,), window=3)
    generator = np.random.default_rng(2)
    records = PersonalRecords(sequences=Ragged.from_lists([generator.integers(0, 30, 400).tolist()]), universe=universe)
    assert hiding.publish(records).data.taxonomy == equal_width_bins(universe, widths=[10])


def test_outcomes_tell_the_owner_losses_and_publish_nothing():
    found = HIDING.outcomes(infeasible_with(records_of(300).sequences.to_lists()[0]))
    assert found[0].evidence is None
    assert 0 < found[1].outcome.loss_per_symbol < 1
    assert found[1].evidence.within_belief(HIDING.bound.limit, HIDING.bound.forms)


def test_sequences_are_read_with_the_time_spent_as_weights(tmp_path):
    path = tmp_path / "days.csv"
    path.write_text("id,label,time\n1,a,0\n1,b,3\n1,c,10\n2,a,5\n2,b,6\n", encoding="utf-8")
    grid = TimeGrid(start=0, interval=1, intervals=20)
    records = read_personal(path, universe=NINE.universe, weights="time-spent", grid=grid, longest_stay=5)
    assert records.sequences.to_lists() == [[0, 1, 2], [0, 1]]
    assert records.weights.tolist() == [3.0, 5.0, 0.0, 1.0, 0.0]
    assert records.public.grid is None
    with pytest.raises(ParameterError, match="need a public time grid"):
        read_personal(path, universe=NINE.universe, weights="time-spent")


def test_time_that_goes_back_is_refused():
    with pytest.raises(ParameterError, match="go back in time"):
        time_spent(np.array([3, 1]), np.array([0, 2]))


def test_codes_and_weights_must_fit():
    with pytest.raises(ParameterError, match="place of a label"):
        PersonalRecords(sequences=Ragged.from_lists([[9]]), universe=NINE.universe)
    with pytest.raises(ParameterError, match="one weight for each place"):
        PersonalRecords(sequences=Ragged.from_lists([[1]]), universe=NINE.universe, weights=np.array([-1.0]))
    with pytest.raises(ParameterError, match="node of the taxonomy"):
        PublishedPersonal(sequences=Ragged.from_lists([[99]]), taxonomy=NINE)


def test_the_report_tells_the_loss_and_the_frequent_patterns_of_both_sides():
    records = records_of(200, 300)
    release = HIDING.publish(records)
    found = report(records, release.data)
    mean = np.average([each.outcome.loss_per_symbol for each in HIDING.outcomes(records)], weights=[200, 300])
    assert found.losses["linear"] == pytest.approx(mean)
    assert len(found.before) == len(found.after) == 10
    assert found.before[0].count >= found.before[-1].count
    assert "for the owner's eyes only" in str(found)
    alone = report(records, PublishedPersonal(sequences=records.sequences, taxonomy=NINE))
    assert alone.patterns_kept == 10
    assert alone.shown_as_they_are == 1.0


def test_a_release_of_other_records_is_not_reported_on():
    release = HIDING.publish(records_of(200))
    with pytest.raises(InputError, match="sequence 1 of the release must come from the records given"):
        report(records_of(200, seed=5), release.data)


def test_pictures_show_both_rows_of_the_strip_and_all_bars():
    records = records_of(200)
    data = HIDING.publish(records).data
    drawn = pictures(records, data, found=judged(records, data, {}))
    assert all(ET.fromstring(picture.svg()).tag.endswith("svg") for picture in drawn)
    floors, patterns, depths, strip = drawn
    assert floors.tables[0].rows[1] == ("publish nothing", 1.0)
    assert strip.title.startswith("Places ")
    assert strip.drawing.count("<rect") == 240
    assert len(strip.tables[0].rows) == 120
    assert len(patterns.tables[0].rows) >= 10
    assert sum(row[1] for row in depths.tables[0].rows) == pytest.approx(1)


def test_rows_of_the_frame_are_the_symbols_that_are_shown():
    data = HIDING.publish(records_of(20, 30)).data
    assert data.frame().shape == (50, 3)
    assert data.frame()["label"].to_list() == [label for row in data.to_labels() for label in row]
