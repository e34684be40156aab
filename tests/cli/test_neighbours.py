"""Nothing that a command prints, returns or writes tells neighbours apart, for every command that touches raw data.

Noise alone would make two runs differ, so the answers are held fixed: what was drawn for one file is given for its neighbour too.
Then all bytes must be the same. The hook replaces the class that draws, inside this process only.
"""

import json
from itertools import combinations, pairwise

import polars as pl
import pytest

from commands import SECRET
from tacita.audit.verdict import Check
from tacita.cli import main
from tacita.errors import ReplayError
from tacita.kinds import methods
from tacita.privacy.answers import Drawing
from tacita.testing import SeededSource

METHODS = {
    "prefix-tree": ["--height", "2", "--with-counts", "--epsilon", "4"],
    "prefix-tree, private height": ["--height", "private:3", "--epsilon", "4"],
    "ngram": ["--max-length", "4", "--max-gram", "2", "--with-grams", "--epsilon", "9"],
    "ffs": ["--length", "2", "--epsilon", "9"],
    "itinerary": ["--max-length", "4", "--max-gram", "2", "--with-counts", "--epsilon", "9"],
    "diffpart": ["--epsilon", "4"],
    "itemset-counts": ["--with-counts", "--epsilon", "4"],
    "histogram": ["--epsilon", "4"],
    "stable-histogram": ["--epsilon", "1", "--delta", "1e-6"],
}
PEOPLE = [{"id": person, "label": label, "time": time} for person in range(60) for time, label in enumerate(["A", "B", "A"])]
NEIGHBOURS = {
    "one person more": [{"id": 1000, "label": label, "time": time} for time, label in enumerate("CBA")],
    "one unknown label more": [{"id": 1, "label": SECRET, "time": 9}],
    "one person more who has unknown labels only": [{"id": 1000, "label": SECRET, "time": 0}],
    "one row more": [{"id": 2, "label": "C", "time": 9}],
    "many people more": [
        {"id": 2000 + person, "label": label, "time": time}
        for person in range(80)
        for time, label in enumerate("CCBD"[person % 4 :])
    ],
}
"""Given the answers, nothing may depend on the data: not on one person, and not on many."""

NETWORKS = {
    "shape": ["--epsilon", "4"],
    "shape, with triangles that noise might explain": ["--epsilon", "2"],
    "shape, correlated": ["--epsilon", "4", "--correlated-edges", "3"],
    "degree": ["--epsilon", "4"],
    "der": ["--epsilon", "4"],
    "random": ["--epsilon", "4"],
    "laplace": ["--epsilon", "4"],
    "tmf": ["--epsilon", "4"],
    "dgg": ["--epsilon", "4"],
}
LABELS = [*"ABCD", *(f"x{place}" for place in range(40))]
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


class Fixed:
    """Draws once, and gives the same answers again to whoever asks the same questions; in place of what draws."""

    def __init__(self):
        self.source, self.entries, self.place = SeededSource(1), [], None

    def answer(self, question, truth):
        if self.place is None:
            self.entries.append((question, question.draw(truth, self.source)))
            return self.entries[-1][1]
        recorded, answer = self.entries[self.place]
        if recorded != question:
            message = "the neighbour was asked something else"
            raise ReplayError(message)
        self.place += 1
        return answer


@pytest.fixture
def fixed(monkeypatch):
    answers = Fixed()
    monkeypatch.setattr(Drawing, "answer", lambda _drawing, question, truth: answers.answer(question, truth))
    return answers


def left(folder, rows, words, capfd):
    """What a command leaves that is run on these rows in a folder of its own."""
    folder.mkdir(exist_ok=True)
    pl.DataFrame(rows).write_csv(folder / "taps.csv")
    (folder / "labels.txt").write_text("\n".join(LABELS) + "\n", encoding="utf-8")
    code = main([str(word).replace("FOLDER", str(folder)) for word in words])
    printed = capfd.readouterr()
    files = {
        str(path.relative_to(folder)): without_names_of_the_run(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in {"taps.csv", "owner.ledger"}
    }
    return code, printed.out.replace(str(folder), "FOLDER"), printed.err.replace(str(folder), "FOLDER"), files


def without_names_of_the_run(path):
    """The bytes of a file; the charge, which is a random name, is left out."""
    if path.name == "manifest.json":
        manifest = json.loads(path.read_bytes())
        manifest["ledger"]["charge"] = ""
        return json.dumps(manifest)
    if path.name == "README.md":
        return [line for line in path.read_text(encoding="utf-8").splitlines() if "(charge " not in line]
    return path.read_bytes()


def publish_words(method, *more):
    name = method.split(",")[0]
    return ["publish", "FOLDER/taps.csv", "--method", name, "--universe", "FOLDER/labels.txt", "--out", "FOLDER/out", *more]


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


@pytest.mark.parametrize("more", [[], ["--id", "who"], ["--id", "who", "--per-person", "cap=2", "--json"]])
@pytest.mark.parametrize("neighbour", ROW_NEIGHBOURS)
def test_publishing_tables_that_differ_by_a_row_leaves_the_same_bytes(neighbour, more, fixed, tmp_path, capfd):
    (tmp_path / "columns.json").write_text(json.dumps(COLUMNS), encoding="utf-8")
    words = ["publish", "FOLDER/taps.csv", "--columns", str(tmp_path / "columns.json"), "--method", "top-down", "--splits", "3"]
    words += ["--epsilon", "4", "--out", "FOLDER/out", *more]
    first = left(tmp_path / "first", ROWS, words, capfd)
    fixed.place = 0
    second = left(tmp_path / "second", [*ROWS, *ROW_NEIGHBOURS[neighbour]], words, capfd)
    assert first[0] == 0
    assert first == second
    assert fixed.place == len(fixed.entries) == 4


@pytest.mark.parametrize("method", NETWORKS)
def test_publishing_networks_that_differ_by_an_edge_leaves_the_same_bytes_too(method, fixed, tmp_path, capfd):
    words = [*publish_words(method), *NETWORKS[method]]
    first = left(tmp_path / "first", EDGES, words, capfd)
    assert first[0] == 0
    for neighbour, more in OTHER_EDGES.items():
        fixed.place = 0
        assert left(tmp_path / neighbour, [*EDGES, *more], words, capfd) == first, neighbour
        assert fixed.place == len(fixed.entries) > 0


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
    compared = {name.split(",")[0] for name in (*METHODS, *NETWORKS, *STREAMS)} | {"top-down"}
    assert compared == {name for name, method in methods().items() if method.promise.takes_epsilon}


@pytest.mark.parametrize("more", [["--json"], ["--per-person", "cap=2"], ["--format", "parquet"]])
def test_other_ways_to_publish_leave_neighbours_the_same_too(more, fixed, tmp_path, capfd):
    words = [*publish_words("prefix-tree"), *METHODS["prefix-tree"], *more]
    first = left(tmp_path / "first", PEOPLE, words, capfd)
    fixed.place = 0
    second = left(tmp_path / "second", [*PEOPLE, *NEIGHBOURS["one unknown label more"]], words, capfd)
    assert first == second


@pytest.mark.parametrize("neighbour", NEIGHBOURS)
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_audit_on_a_real_file_prints_no_figure_of_it_where_nobody_watches(neighbour, more, monkeypatch, tmp_path, capfd):
    fine = Check(subject="x", test="output", passed=True, summary="fine")
    monkeypatch.setattr("tacita.audit.product.audit_output", lambda *_words, **_rest: fine)
    monkeypatch.setattr("tacita.audit.product._black_box", lambda *_words, **_rest: fine)
    monkeypatch.setattr("tacita.audit.product.audit_replay", lambda *_words, **_rest: fine)
    words = [
        "audit",
        "prefix-tree",
        "--height",
        "2",
        "--epsilon",
        "4",
        "--quick",
        "--neighbours",
        "6",
        "--input",
        "FOLDER/taps.csv",
    ]
    words += ["--universe", "FOLDER/labels.txt", *more]
    first = left(tmp_path / "first", PEOPLE, [*words, "--html", "FOLDER/page.html"], capfd)
    second = left(tmp_path / "second", [*PEOPLE, *NEIGHBOURS[neighbour]], [*words, "--html", "FOLDER/page.html"], capfd)
    for run in (first, second):
        run[3]["page.html"] = (
            run[3]["page.html"].replace(str(tmp_path / "first").encode(), b"").replace(str(tmp_path / "second").encode(), b"")
        )
    assert first[0] == 0
    assert first == second
    everything = first[1] + first[2] + str(first[3])
    assert "person" not in everything.replace("per-person", "").replace("per_person", "")


JUDGES = {
    "evaluate": [],
    "attack": ["--known", "2"],
    "report": ["--out", "FOLDER/owner.html", "--shared", "FOLDER/shared.html"],
}
"""Commands that compare the raw file with a release; what they find is for the owner."""


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    pl.DataFrame(PEOPLE).write_csv(folder / "taps.csv")
    (folder / "labels.txt").write_text("\n".join(LABELS) + "\n", encoding="utf-8")
    words = [*publish_words("prefix-tree"), *METHODS["prefix-tree"]]
    assert main([word.replace("FOLDER", str(folder)) for word in words]) == 0
    return folder / "out"


@pytest.mark.parametrize("judge", JUDGES)
def test_a_judge_says_that_its_figures_are_private_and_tells_a_log_nothing_else(judge, released, tmp_path, capfd):
    words = [judge, "FOLDER/taps.csv", str(released), *JUDGES[judge]]
    first = left(tmp_path / "first", PEOPLE, words, capfd)
    assert first[0] == 0, first[2]
    for name, more in NEIGHBOURS.items():
        second = left(tmp_path / name, [*PEOPLE, *more], words, capfd)
        assert first[0] == second[0]
        assert first[2] == second[2], name
        assert second[3].get("shared.html") == first[3].get("shared.html"), name
        assert "eyes" in second[1] or b"eyes" in second[3]["owner.html"]
