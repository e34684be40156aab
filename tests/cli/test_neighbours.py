"""Nothing that publishing prints, returns or writes tells neighbours apart, for every method; other commands are beside this.

Answers are held fixed, so that all bytes must be the same (`tests/neighbours.py`).
"""

import json
from datetime import date
from itertools import combinations, pairwise

import polars as pl
import pytest

import tacita as ta
from commands import SECRET
from neighbours import LABELS, NEIGHBOURS, PEOPLE, left, publish_words, without_names_of_the_run
from tacita.cli import main
from tacita.kinds import methods

METHODS = {
    "prefix-tree": ["--height", "2", "--with-counts", "--epsilon", "4"],
    "prefix-tree, private height": ["--height", "private:3", "--epsilon", "4"],
    "ngram": ["--max-length", "4", "--max-gram", "2", "--with-grams", "--epsilon", "9"],
    "ffs": ["--length", "2", "--epsilon", "9"],
    "raked": ["--max-length", "6", "--with-counts", "--epsilon", "9"],
    "raked, with a delta": ["--max-length", "6", "--epsilon", "9", "--delta", "1e-6"],
    "diffpart": ["--epsilon", "4"],
    "itemset-counts": ["--with-counts", "--epsilon", "4"],
    "histogram": ["--epsilon", "4"],
    "stable-histogram": ["--epsilon", "1", "--delta", "1e-6"],
}
NETWORKS = {
    "shape": ["--epsilon", "4"],
    "shape, with triangles that noise might explain": ["--epsilon", "2"],
    "shape, sides": ["--epsilon", "4", "--sides", "side"],
    "shape, correlated": ["--epsilon", "4", "--correlated-edges", "3"],
    "degree": ["--epsilon", "4"],
    "der": ["--epsilon", "4"],
    "random": ["--epsilon", "4"],
    "laplace": ["--epsilon", "4"],
    "tmf": ["--epsilon", "4"],
    "dgg": ["--epsilon", "4"],
    "privgraph": ["--epsilon", "4"],
}
EDGES = [{"source": first, "target": second} for first, second in combinations(LABELS[:14], 2)]
EDGES += [{"source": first, "target": second} for first, second in pairwise(LABELS)]
EDGES = [edge for edge in EDGES if set(edge.values()) != {"A", "D"}]
OTHER_EDGES = {
    "one edge more": [{"source": "A", "target": "D"}],
    "one edge with an unknown end more": [{"source": "A", "target": SECRET}],
    "one loop more": [{"source": "A", "target": "A"}],
    "one edge twice": [{"source": "B", "target": "A"}],
    "many edges more": [{"source": hub, "target": label} for hub in ("A", "x30", "x31") for label in LABELS],
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("neighbour", NEIGHBOURS)
def test_publishing_neighbours_leaves_the_same_bytes_and_prints_the_same_words(method, neighbour, fixed, tmp_path, capfd):
    words = [*publish_words(method), *METHODS[method]]
    first = left(tmp_path / "first", PEOPLE, words, capfd)
    fixed.place = 0
    second = left(tmp_path / "second", [*PEOPLE, *NEIGHBOURS[neighbour]], words, capfd)
    assert first[0] == 0
    assert first == second
    assert fixed.place == len(fixed.entries) > 0


ROWS = [{"who": person, "age": person % 50, "ill": "yn"[person % 2]} for person in range(80)]
COLUMNS = {
    "quasi": [{"name": "age", "type": "numeric", "low": 0, "high": 49}],
    "sensitive": {"name": "ill", "values": ["y", "n"]},
}
ROW_NEIGHBOURS = {
    "one row more": [{"who": 1000, "age": 7, "ill": "y"}],
    "one row more that is outside": [{"who": 1000, "age": 700, "ill": "y"}],
    "one row more that is unknown": [{"who": 1000, "age": 7, "ill": SECRET}],
    "a second row of somebody": [{"who": 3, "age": 7, "ill": "y"}],
}


TABLES = {"top-down": ["--splits", "3"], "marginals": ["--target", "ill"], "independent": []}


@pytest.mark.parametrize("method", TABLES)
@pytest.mark.parametrize("more", [[], ["--person", "who"], ["--person", "who", "--per-person", "cap=2", "--json"]])
@pytest.mark.parametrize("neighbour", ROW_NEIGHBOURS)
def test_publishing_tables_that_differ_by_a_row_leaves_the_same_bytes(neighbour, more, method, fixed, tmp_path, capfd):
    (tmp_path / "columns.json").write_text(json.dumps(COLUMNS), encoding="utf-8")
    words = ["publish", "tables", "FOLDER/taps.csv", "--columns", str(tmp_path / "columns.json"), "--method", method]
    words += [*TABLES[method], "--epsilon", "4", "--out", "FOLDER/out", *more]
    first = left(tmp_path / "first", ROWS, words, capfd)
    fixed.place = 0
    second = left(tmp_path / "second", [*ROWS, *ROW_NEIGHBOURS[neighbour]], words, capfd)
    assert first[0] == 0
    assert first == second
    assert fixed.place == len(fixed.entries) >= 2


TYPED = {
    "born": {"type": "date", "first": "1950-01-01", "last": "1999-12-31", "missing": True},
    "paid": {"type": "number", "low": 0, "high": 99.5, "step": 0.5, "missing": True},
    "ward": {"type": "category", "values": [1, 2, 3], "otherwise": "missing", "missing": True},
}
PATIENTS = {
    "born": [date(1950 + place % 50, 1 + place % 12, 1) for place in range(90)],
    "paid": [float(place % 40) for place in range(90)],
    "ward": [1 + place % 3 for place in range(90)],
}
OTHER_PATIENTS = {
    "one row more": (date(1960, 5, 5), 7.5, 2),
    "one row more with nothing in it": (None, None, None),
    "one row more that is outside": (date(2030, 5, 5), 1e9, 77),
}
"""In a column of whole numbers, a row without one makes pandas, and so the file, hold fractions."""


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "frame"])
@pytest.mark.parametrize("method", ["marginals", "independent"])
def test_typed_tables_that_differ_by_a_row_leave_the_same_bytes_in_every_format(method, ending, fixed, tmp_path):
    def run(folder, columns):
        frame = pl.DataFrame(columns).to_pandas()
        folder.mkdir()
        if ending == "frame":
            release = ta.publish(frame, kind="tables", columns=TYPED, method=method, epsilon=4, name="patients")
            release.write(folder / "out")
        else:
            rows = pl.from_pandas(frame)
            {"csv": rows.write_csv, "parquet": rows.write_parquet, "jsonl": rows.write_ndjson}[ending](folder / f"rows.{ending}")
            (folder / "columns.json").write_text(json.dumps(TYPED), encoding="utf-8")
            words = ["publish", "tables", f"{folder}/rows.{ending}", "--columns", f"{folder}/columns.json", "--method", method]
            assert main([*words, "--epsilon", "4", "--out", f"{folder}/out"]) == 0
        return {path.name: without_names_of_the_run(path) for path in sorted((folder / "out").iterdir())}

    first = run(tmp_path / "first", PATIENTS)
    assert {name.partition(".")[0] for name in first} >= {"rows", "columns", "manifest"}
    for name, row in OTHER_PATIENTS.items():
        fixed.place = 0
        more = {column: [*values, one] for (column, values), one in zip(PATIENTS.items(), row, strict=True)}
        assert run(tmp_path / name, more) == first, name
        assert fixed.place == len(fixed.entries) > 2


PERSONS = [{"who": f"p{place}", "town": "AB"[place % 2], "age": place % 50} for place in range(80)]
DONE = [{"who": f"p{place}", "what": "xyz"[(place + step) % 3], "at": step} for place in range(80) for step in range(place % 4)]
OTHER_PERSONS = {
    "one person more": ([{"who": "q", "town": "A", "age": 3}], [{"who": "q", "what": "x", "at": at} for at in range(30)]),
    "one person more with nothing known": ([{"who": "q", "town": None, "age": 3}], [{"who": "q", "what": SECRET, "at": None}]),
    "one person more who did nothing": ([{"who": "q", "town": "B", "age": None}], []),
    "events of nobody": ([], [{"who": "r", "what": "x", "at": 1}]),
    "one event more": ([], [{"who": "p3", "what": "y", "at": 9}]),
}
OF_PERSONS = {
    "town": {"type": "category", "values": ["A", "B"], "missing": True},
    "age": {"type": "number", "low": 0, "high": 49, "missing": True},
}


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "frame"])
@pytest.mark.parametrize("time", ["at", None])
def test_people_who_differ_by_a_person_leave_the_same_bytes_in_every_format(time, ending, fixed, tmp_path):
    def run(folder, persons, done):
        folder.mkdir()
        files = [pl.DataFrame(persons).to_pandas(), pl.DataFrame(done).to_pandas()]
        if ending != "frame":
            frames, files = [pl.from_pandas(frame) for frame in files], [folder / f"rows.{ending}", folder / f"done.{ending}"]
            for rows, path in zip(frames, files, strict=True):
                {"csv": rows.write_csv, "parquet": rows.write_parquet, "jsonl": rows.write_ndjson}[ending](path)
        given = {"columns": OF_PERSONS, "universe": ["x", "y", "z"], "epsilon": 4, "name": "people"}
        named = {"person": "who", "label": "what", **({} if time is None else {"time": time})}
        ta.publish(files[0], kind="people", events=files[1], **named, **given).write(folder / "out")
        return {path.name: without_names_of_the_run(path) for path in sorted((folder / "out").iterdir())}

    first = run(tmp_path / "first", PERSONS, DONE)
    assert {name.partition(".")[0] for name in first} >= {"rows", "events", "columns", "universe", "manifest"}
    for name, (persons, done) in OTHER_PERSONS.items():
        fixed.place = 0
        assert run(tmp_path / name, [*PERSONS, *persons], [*DONE, *done]) == first, name
        assert fixed.place == len(fixed.entries) > 2


@pytest.mark.parametrize("method", NETWORKS)
def test_publishing_networks_that_differ_by_an_edge_leaves_the_same_bytes_too(method, fixed, tmp_path, capfd):
    table = tmp_path / "labels.csv"
    table.write_text("vertex,side\n" + "".join(f"{label},{place % 2}\n" for place, label in enumerate(LABELS)), encoding="utf-8")
    words = [*publish_words(method), *NETWORKS[method]]
    if "--sides" in words:
        words[words.index("FOLDER/labels.txt")] = table
    first = left(tmp_path / "first", EDGES, words, capfd)
    assert first[0] == 0
    for neighbour, more in OTHER_EDGES.items():
        fixed.place = 0
        assert left(tmp_path / neighbour, [*EDGES, *more], words, capfd) == first, neighbour
        assert fixed.place == len(fixed.entries) > 0


@pytest.mark.parametrize("epsilon", ["12", "16", "40"])
def test_how_far_a_number_of_triangles_is_off_is_taken_from_released_degrees(epsilon, fixed, tmp_path, capfd):
    """The budget is large: with less of it the number is not followed, and nothing depends on how far off it is."""
    cliques = [set(LABELS[place : place + 6]) for place in range(0, 42, 6)]
    edges = [{"source": first, "target": second} for clique in cliques for first, second in combinations(sorted(clique), 2)]
    words = [*publish_words("shape"), "--epsilon", epsilon]
    first = left(tmp_path / "first", edges, words, capfd)
    fixed.place = 0
    assert left(tmp_path / "hubs", [*edges, *OTHER_EDGES["many edges more"]], words, capfd) == first


STREAMS = {
    "pace": [],
    "republish": [],
    "republish, similar": ["--strategy", "similar"],
    "republish, average": ["--strategy", "average"],
    "uniform": [],
    "sample": [],
    "absorption": [],
    "tree": [],
}
CLOCK = ["--time-start", "0", "--time-step", "1", "--time-intervals", "4"]
OTHER_STATUSES = {
    "one status changed": lambda rows: [{**rows[0], "label": "C"}, *rows[1:]],
    "all statuses of a person changed": lambda rows: [{**row, "label": "C"} if row["id"] == 3 else row for row in rows],
    "an unknown status": lambda rows: [{**rows[0], "label": SECRET}, *rows[1:]],
}
"""Who is there is public, where they are is not."""


@pytest.mark.parametrize("method", STREAMS)
def test_publishing_streams_that_differ_in_statuses_leaves_the_same_bytes(method, fixed, tmp_path, capfd):
    words = [*publish_words(method), *STREAMS[method], "--contexts", "3", "--epsilon", "4", *CLOCK]
    first = left(tmp_path / "first", PEOPLE, words, capfd)
    assert first[0] == 0, first[2]
    for name, changed in OTHER_STATUSES.items():
        fixed.place = 0
        assert left(tmp_path / name, changed(PEOPLE), words, capfd) == first, name
        assert fixed.place == len(fixed.entries) > 0


def test_a_live_stream_leaves_the_same_bytes_outside_of_its_state_too(fixed, tmp_path, capfd):
    words = ["stream", "FOLDER/events.jsonl", "--method", "pace", "--contexts", "3", "--epsilon", "4", *CLOCK]
    words += ["--universe", "FOLDER/labels.txt", "--clock", "events", "--state", "FOLDER/state", "--out", "FOLDER/out"]
    rows = sorted(PEOPLE, key=lambda row: row["time"])

    def run(folder, rows):
        folder.mkdir()
        (folder / "events.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        code, out, err, files = left(folder, rows, words, capfd)
        return code, out, err, {name: data for name, data in files.items() if name.startswith("out/")}

    first = run(tmp_path / "first", rows)
    assert first[0] == 0, first[2]
    assert len(first[3]) >= 3
    for name, changed in OTHER_STATUSES.items():
        fixed.place = 0
        assert run(tmp_path / name, changed(rows)) == first, name
        assert fixed.place == len(fixed.entries) > 0


def test_every_method_that_spends_a_budget_is_compared():
    compared = {name.split(",")[0] for name in (*METHODS, *NETWORKS, *STREAMS)} | {*TABLES, "by-class"}
    assert compared == {name for name, method in methods().items() if method.promise.takes_epsilon}


@pytest.mark.parametrize("more", [["--json"], ["--per-person", "cap=2"], ["--format", "parquet"]])
def test_other_ways_to_publish_leave_neighbours_the_same_too(more, fixed, tmp_path, capfd):
    words = [*publish_words("prefix-tree"), *METHODS["prefix-tree"], *more]
    first = left(tmp_path / "first", PEOPLE, words, capfd)
    fixed.place = 0
    second = left(tmp_path / "second", [*PEOPLE, *NEIGHBOURS["one unknown label more"]], words, capfd)
    assert first == second
