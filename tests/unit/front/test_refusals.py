"""What `ta.publish` and its siblings refuse: a sentence that names the argument, before anything is spent."""

from fractions import Fraction

import networkx as nx
import pandas as pd
import polars as pl
import pytest

import tacita as ta
from tacita.io.frames import any_frame

STATIONS = ["A", "B", "C"]
ROWS = [{"card": person, "station": label, "tap": time} for person in range(60) for time, label in enumerate("ABA")]
FRAME = pl.DataFrame(ROWS)


def published(private=FRAME, **changed):
    """A small release of sequences, with some arguments changed; None leaves one out."""
    given = {"kind": "sequences", "person": "card", "label": "station", "time": "tap", "universe": STATIONS, "epsilon": 1}
    given |= {"name": "metro", **changed}
    return ta.publish(private, **{name: value for name, value in given.items() if value is not None})


REFUSED = {
    "no kind": ({"kind": None}, "name the kind of data with kind="),
    "an unknown kind": ({"kind": "sequenses"}, "a kind must be one of sequences, sets"),
    "a kind that is no string": ({"kind": 3}, "kind= must be one of .*, got int"),
    "a method of another kind": ({"method": "diffpart"}, "the method diffpart is for sets, got kind='sequences'"),
    "a class where a method belongs": (
        {"method": ta.sequences.PrefixTree},
        r"such as ta.tables.Mondrian\(...\), got the class PrefixTree itself",
    ),
    "parameters beside a method object": (
        {"method": ta.sequences.PrefixTree(height=2), "height": 3},
        r"belongs there: PrefixTree\(height",
    ),
    "a missing parameter": ({"method": "prefix-tree"}, "prefix-tree needs height="),
    "a misspelt parameter": (
        {"method": "prefix-tree", "hieght": 3},
        "prefix-tree takes no hieght=; did you mean height=.*prefix-tree are fan_out=, granularity=, height=",
    ),
    "a parameter of no method": (
        {"colour": "red"},
        "no method of sequences takes colour=; the parameters of methods of sequences are",
    ),
    "a parameter of another type": ({"method": "ngram", "max_gram": "x"}, "max_gram= cannot be 'x'"),
    "no epsilon": ({"epsilon": None}, "needs epsilon=, such as 1"),
    "an epsilon that is a list": ({"epsilon": [1]}, "epsilon must be a number or a decimal string"),
    "a delta that nobody takes": ({"method": "ngram", "delta": 0.1}, "takes no delta=, got 0.1; leave it out"),
    "no universe": ({"universe": None}, "name the public universe="),
    "a universe that is a number": ({"universe": 5}, "universe= must be a file, a list of labels or a Universe, got int"),
    "labels that are numbers": ({"universe": [1, 2]}, "a label must be a non-empty string, got 1 at place 1"),
    "a universe that does not exist": ({"universe": "nowhere.txt"}, "the universe 'nowhere.txt' does not exist"),
    "columns that are not there": (
        {"person": "id"},
        r"must have the columns id, station, tap, it has card, station, tap; .* \(person=, label=, time=\)",
    ),
    "a column that is a list": ({"label": ["station"]}, "label= must be a string .*, got list"),
    "a frame without a name": ({"name": None}, "a data frame has no name; say with name="),
    "a name that is no string": ({"name": 5}, "name= must be the data set's name, a string, got int"),
    "a ledger that does not exist": (
        {"ledger": "no.ledger"},
        "the ledger 'no.ledger' does not exist; create_ledger=True creates it",
    ),
    "a ledger that is a number": ({"ledger": 5}, "ledger= must be a path"),
    "a switch that is a string": ({"create_ledger": "yes"}, "create_ledger= must be True or False, got 'yes'"),
    "a grid that is none": ({"grid": 5}, "grid= must be a TimeGrid, got int"),
    "half a grid": ({"time_start": 0}, "a time grid needs time_start=, time_step= and time_intervals="),
    "a number of records that is none": ({"records": "many"}, "records= must be a whole number"),
    "a mean length that is none": ({"mean_length": "long"}, "mean_length= must be a number"),
    "an unknown engine": ({"engine": "lokal"}, "engine= must be one of auto, local, blocks, spark"),
    "a progress that cannot be called": ({"progress": 5}, "progress= must be a function"),
    "too few records": (
        {"records": 1, "kind": "sets", "time": None, "method": "stable-histogram", "delta": 1e-6},
        "would be empty, by its forecast; .* leave out records= to publish anyway",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_argument_is_refused_in_a_sentence_that_names_it(case):
    changed, sentence = REFUSED[case]
    with pytest.raises(ta.TacitaError, match=sentence):
        published(**changed)


@pytest.mark.parametrize("private", [None, 5, [1, 2], {"card": [1]}, b"rows", object(), nx.Graph()])
def test_what_is_neither_a_path_nor_a_frame_is_refused(private):
    with pytest.raises(ta.TacitaError, match=r"path, or from a data frame|a path or a data frame"):
        published(private)


def test_a_refusal_spends_nothing(tmp_path):
    ledger = ta.Ledger.create(tmp_path / "metro.ledger")
    with pytest.raises(ta.TacitaError, match="it has card"):
        published(ledger=ledger, person="id")
    assert ledger.balance("metro").epsilon == 0


def test_a_spend_beyond_the_cap_is_refused_before_the_data_is_read(tmp_path):
    ledger = ta.Ledger()
    ledger.set_cap("metro", ta.PureDP("1/2"))
    with pytest.raises(ta.TacitaError, match="cap"):
        published(tmp_path / "nowhere.csv", ledger=ledger, name="metro", input_format="csv")


@pytest.mark.parametrize(
    ("epsilon", "spent"), [(1, Fraction(1)), ("1/3", Fraction(1, 3)), (0.1, Fraction(1, 10)), (Fraction(2, 7),) * 2]
)
def test_an_epsilon_is_exact_however_it_is_given(epsilon, spent):
    ledger = ta.Ledger()
    published(epsilon=epsilon, ledger=ledger)
    assert ledger.balance("metro").epsilon == spent


def test_a_ledger_is_created_if_that_is_asked_for_and_used_again(tmp_path):
    place = tmp_path / "metro.ledger"
    published(ledger=place, create_ledger=True)
    published(ledger=str(place))
    assert ta.Ledger(place).balance("metro").epsilon == 2


def test_a_refused_publication_creates_no_ledger(tmp_path):
    with pytest.raises(ta.TacitaError, match="it has card"):
        published(ledger=tmp_path / "metro.ledger", create_ledger=True, person="id")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ta.TacitaError, match="its folder must exist and be writable"):
        published(ledger=tmp_path / "nowhere" / "metro.ledger", create_ledger=True)


def test_a_ledger_with_caps_takes_another_data_set_only_if_it_is_said_to_be_new(tmp_path):
    place = tmp_path / "metro.ledger"
    ta.Ledger.create(place).set_cap("buses", ta.PureDP(1))
    with pytest.raises(ta.TacitaError, match=r"say that it is a new data set \(new_dataset=\)"):
        published(ledger=place)
    published(ledger=place, new_dataset=True)
    assert ta.Ledger(place, new_datasets=True).balance("metro").epsilon == 1


def test_a_verified_release_is_noted_in_the_ledger():
    ledger = ta.Ledger()
    columns = {"quasi": [{"name": "tap", "type": "numeric", "low": 0, "high": 9}]}
    release = ta.publish(FRAME, kind="tables", columns=columns, models="k=5", name="taps", ledger=ledger)
    assert [(entry.kind, entry.mechanism) for entry in ledger.history()] == [("verified", "mondrian")]
    assert release.guarantee.as_json()["holds"]
    assert ledger.balance("taps").epsilon == 0


def test_an_observed_universe_voids_the_guarantee():
    release = published(universe=None, observed_universe=True)
    assert not release.guarantee.as_json()["holds"]


def test_how_the_data_was_read_is_remembered_and_not_written(tmp_path):
    release = published()
    assert release.read_as == {"person": "card", "label": "station", "time": "tap"}
    folder = release.write(tmp_path / "release", file_format="wide")
    assert all("card" not in file.read_text(encoding="utf-8") for file in folder.iterdir())


def test_a_release_folder_is_evaluated_with_the_columns_that_are_named(tmp_path):
    folder = published().write(tmp_path / "release")
    with pytest.raises(ta.TacitaError, match=r"it has card, station, tap"):
        ta.evaluate(FRAME, folder)
    columns = {"person": "card", "label": "station", "time": "tap"}
    of_folder, of_opened = (ta.evaluate(FRAME, each, **columns) for each in (folder, ta.open_release(folder)))
    assert of_folder.as_json() == of_opened.as_json()


def test_what_does_not_belong_to_a_comparison_is_refused(tmp_path):
    release = published()
    for arguments, sentence in (
        ({"height": 3}, "is compared without height="),
        ({"universe": STATIONS}, "the release knows its public inputs; leave out universe="),
        ({"tasks": "yes"}, "tasks= must be True or False"),
    ):
        with pytest.raises(ta.TacitaError, match=sentence):
            ta.evaluate(FRAME, release, **arguments)
    with pytest.raises(ta.TacitaError, match=r"what ta.publish or ta.open_release returned, or its folder, got int"):
        ta.evaluate(FRAME, 5)
    with pytest.raises(ta.TacitaError, match="has no section 'colours'; it has"):
        ta.evaluate(FRAME, release)["colours"]
    folder = release.write(tmp_path / "release")
    with pytest.raises(ta.TacitaError, match="must lie outside the release folder"):
        ta.report(FRAME, release, folder / "page.html")
    with pytest.raises(ta.TacitaError, match="the owner's page must be a path"):
        ta.report(FRAME, release, 5)
    assert not (folder / "page.html").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "name the kind of data with kind="),
        ({"kind": "sequences", "epsilon": 1, "mean_length": 3}, "refine a forecast, so records= must say"),
        ({"kind": "sequences", "epsilon": 1, "universe": STATIONS, "records": 9, "like": 5}, "like= must be the name"),
        (
            {"kind": "sequences", "epsilon": 1, "universe": STATIONS, "records": 0},
            "records= must be a whole number of at least 1",
        ),
    ],
)
def test_an_explanation_refuses_what_it_cannot_use(arguments, sentence):
    with pytest.raises(ta.TacitaError, match=sentence):
        ta.explain(**arguments)


def test_an_explanation_with_a_forecast_names_arguments_and_no_options():
    found = ta.explain(kind="sequences", epsilon=1, universe=STATIONS, records=60, alone=True)
    assert "forecast for 60 records" in str(found)
    assert "--" not in str(found)
    assert found.as_json()["figures"]


def test_a_folder_that_was_changed_does_not_pass(tmp_path):
    folder = published().write(tmp_path / "release")
    (folder / "README.md").write_text("other", encoding="utf-8")
    found = ta.verify(folder)
    assert not found.passed
    assert "README.md differs" in str(found)
    assert found.as_json()["passed"] is False
    with pytest.raises(ta.TacitaError, match="the release folder must be a path"):
        ta.verify(5)


def test_graphs_and_matrices_are_published_as_their_edges():
    graph = nx.gnp_random_graph(30, 0.2, seed=1)
    vertices = [str(node) for node in graph.nodes]
    sources = (graph, nx.to_scipy_sparse_array(graph), nx.to_pandas_edgelist(graph))
    guarantees = {
        ta.publish(each, method="degree", universe=vertices, epsilon=1, name="net").guarantee.statement() for each in sources
    }
    assert len(guarantees) == 1
    with pytest.raises(ta.TacitaError, match="a row and a column for each of the 2 vertices"):
        ta.publish(sources[1], method="degree", universe=["0", "1"], epsilon=1, name="net")
    with pytest.raises(ta.TacitaError, match="every vertex of the graph must belong to the universe"):
        ta.publish(graph, method="degree", universe=["0", "1"], epsilon=1, name="net", strict=True)


def test_a_column_of_several_types_is_read_value_by_value():
    mixed = pd.DataFrame(ROWS).assign(card=[7, "7", 7.0] * 60)
    assert any_frame(mixed)["card"].to_list() == ["7"] * 180
    assert published(mixed).data.kind == "sequences"


def test_a_pandas_frame_is_read_without_pyarrow_too(monkeypatch):
    monkeypatch.setattr("tacita.io.frames._from_capsule", lambda _source: None)
    days = pd.date_range("2026-01-01", periods=len(ROWS)).tz_localize("UTC")
    frame = pd.DataFrame(ROWS).assign(station=pd.Categorical([row["station"] for row in ROWS]), day=days, hole=[None, "x"] * 90)
    read = any_frame(frame)
    assert read.select("card", "tap").equals(FRAME.select("card", "tap"))
    assert read["station"].to_list() == FRAME["station"].to_list()
    assert (read["day"].to_list()[0].isoformat(), read["hole"].to_list()[:2]) == ("2026-01-01T00:00:00+00:00", [None, "x"])
    with pytest.raises(ta.TacitaError, match="must have different names, got 'tap' twice"):
        any_frame(frame.rename(columns={"card": "tap"}))


@pytest.mark.parametrize("convert", [pl.DataFrame.lazy, pl.DataFrame.to_arrow])
def test_lazy_frames_and_arrow_tables_are_published(convert):
    assert published(convert(FRAME)).data.kind == "sequences"
