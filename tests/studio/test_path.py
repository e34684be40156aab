"""From a file to a downloaded release: what the pages show, keep, refuse and run."""

import io
import json
import os
import re
import shlex
import signal
import zipfile

import polars as pl
import pytest

from studios import Browser, publication_of, version_of, wait_for
from tacita.cli import main
from tacita.kinds import kinds, method_named
from tacita.kinds.configuration import read_configuration
from tacita.kinds.registration import AUTO
from tacita.privacy.ledger import Ledger
from tacita.studio.guard import Secrets
from tacita.studio.jobs import State
from tacita.studio.pages import Studio
from tacita.studio.workspace import Workspace

CHOICE = {"method": "prefix-tree", "epsilon": "4", "delta": ""}


def begun(browser, *, file="taps.csv", kind="sequences", options=None, parameters=None, **more):
    """A publication with everything typed but the method; its id."""
    identity = publication_of(browser.post("/new", file=file, kind=kind))
    options = {"universe": "stations.txt"} if options is None else options
    typed = {f"option.{name}": text for name, text in options.items()} | {"version": "1", "do": "confirm"} | more
    answer = browser.post(f"/p/{identity}/data", form=typed)
    assert answer.place == f"/p/{identity}/compare", browser.studio.files.missing(browser.studio.publications.find(identity))
    typed = {f"parameter.{name}": text for name, text in (parameters or {"height": "2"}).items()}
    assert browser.post(f"/p/{identity}/compare", form=typed | {"version": "2"}).status == 303
    return identity


def published(browser, identity, **choice):
    """Choose and publish; the answer to the last step."""
    kept = browser.post(f"/p/{identity}/choose", form=CHOICE | choice | {"version": "3"})
    assert kept.status == 303, kept.text
    return browser.post(f"/p/{identity}/publish", do="publish", version="4")


def ended(browser, identity):
    """The result page once publishing has ended."""
    wait_for(lambda: "/cancel" not in browser.get(f"/p/{identity}/result").text)
    return browser.get(f"/p/{identity}/result")


def test_a_file_becomes_a_release_that_is_downloaded_and_a_second_one_past_the_cap_is_refused(browser, folder):
    identity = begun(browser)
    page = browser.get(f"/p/{identity}/data")
    assert all(f"<code>{name}</code>" in page.text for name in ("id", "label", "time"))
    assert "p17" not in page.text
    assert "p0,A,0" in browser.post(f"/p/{identity}/rows").text
    browser.post("/ledger", dataset="taps", epsilon="6", unit="person")
    assert published(browser, identity).place == f"/p/{identity}/result"
    told = browser.get(f"/p/{identity}/result/events")
    assert told.headers["content-type"].startswith("text/event-stream")
    events = re.findall(r"event: (\w+)\ndata: (.*)\n\n", told.text)
    assert (events[-1][0], json.loads(events[-1][1])["state"]) == ("end", "done")
    page = browser.get(f"/p/{identity}/result")
    assert "4-differential privacy" in page.text
    assert "For your eyes only" in page.text
    packed = zipfile.ZipFile(io.BytesIO(browser.get(f"/p/{identity}/download").body))
    assert {"taps-1/manifest.json", "taps-1/sequences.csv", "taps-1/README.md"} <= set(packed.namelist())
    assert Ledger(folder / "tacita-studio" / "studio.ledger").balance("taps").epsilon == 4

    second = publication_of(browser.post(f"/p/{identity}/again"))
    forced = browser.post(f"/p/{second}/publish", do="publish", version="1")
    assert (forced.status, "has epsilon 2 left of its cap 6" in forced.text) == (422, True)
    assert re.search(r'value="publish" disabled', forced.text)
    assert not (folder / "tacita-studio" / "releases" / "taps-2").exists()
    assert Ledger(folder / "tacita-studio" / "studio.ledger").balance("taps").epsilon == 4


@pytest.mark.slow
def test_the_command_and_the_python_that_a_page_shows_do_the_same(browser, folder, monkeypatch):
    identity = begun(browser)
    browser.post(f"/p/{identity}/choose", form=CHOICE | {"version": "3"})
    shown = browser.studio.publishing(browser.studio.publications.find(identity))
    monkeypatch.chdir(folder)
    words = shlex.split(shown["line"].replace("\\\n", " "))
    assert words[0] == "tacita"
    assert main([word.replace("taps-1", "by-command") for word in words[1:]]) == 0
    exec(compile(shown["python"].replace("taps-1", "by-python"), "python", "exec"), {})
    manifests = [
        json.loads((folder / "tacita-studio" / "releases" / name / "manifest.json").read_text(encoding="utf-8"))
        for name in ("by-command", "by-python")
    ]
    assert manifests[0]["mechanism"] == manifests[1]["mechanism"]
    assert manifests[0]["guarantee"] == manifests[1]["guarantee"]
    assert Ledger(folder / "tacita-studio" / "studio.ledger").balance("taps").epsilon == 8


def test_another_tab_never_overwrites_and_a_restart_finds_everything(browser, folder):
    identity = begun(browser)
    one, other = (browser.get(f"/p/{identity}/compare") for _ in range(2))
    assert browser.post(f"/p/{identity}/choose", form=CHOICE | {"version": version_of(one)}).status == 303
    late = browser.post(f"/p/{identity}/choose", form=CHOICE | {"epsilon": "9", "version": version_of(other)})
    assert (late.status, "changed in another tab" in late.text) == (409, True)
    again = Browser(Studio(Workspace.at(folder)), Secrets())
    again.open()
    assert "taps.csv" in again.get("/").text
    kept = again.studio.publications.find(identity)
    assert (kept.method, kept.epsilon, kept.options, kept.parameters) == (
        "prefix-tree",
        "4",
        {"person": "id", "label": "label", "time": "time", "universe": "stations.txt"},
        {"height": "2"},
    )
    assert again.get("/", cookie=browser.cookie).status == 401  # an old cookie does not open a new studio


@pytest.mark.slow
def test_two_tabs_that_publish_the_same_spend_once(browser, folder):
    identity = begun(browser)
    assert published(browser, identity).status == 303
    assert browser.post(f"/p/{identity}/publish", do="publish", version="4").status == 303
    ended(browser, identity)
    assert Ledger(folder / "tacita-studio" / "studio.ledger").balance("taps").epsilon == 4


def busy_file(folder):
    """A private file that takes a while to publish."""
    frame = pl.DataFrame({"id": range(60_000), "label": ["ABCD"[number % 4] for number in range(60_000)], "time": 0})
    pl.concat([frame, frame.with_columns(time=1)]).write_csv(folder / "taps.csv")


def test_a_publication_that_is_killed_leaves_no_folder_and_a_ledger_that_verifies(browser, folder):
    busy_file(folder)
    identity = begun(browser)
    published(browser, identity)
    journal = browser.studio.publications.place(identity) / "publish.journal"
    pid = json.loads(wait_for(lambda: journal.read_text(encoding="utf-8")))["pid"]
    ledger = Ledger(folder / "tacita-studio" / "studio.ledger")
    wait_for(lambda: ledger.balance("taps").epsilon == 4 or browser.studio.jobs.look(journal).state.has_ended)
    os.kill(pid, signal.SIGKILL)
    page = ended(browser, identity)
    out = folder / "tacita-studio" / "releases" / "taps-1"
    job = browser.studio.jobs.look(journal)
    assert ledger.verify().entries > 0
    assert ledger.balance("taps").epsilon == 4  # it may have been wasted, but it is not hidden
    if out.exists():  # it was quicker than the signal
        assert (out / "manifest.json").is_file()
        assert "Download" in page.text
    else:
        assert job.state is State.KILLED
        assert "There is no release" in page.text
        assert browser.get(f"/p/{identity}/download").status == 404


@pytest.mark.slow
def test_cancelling_leaves_no_release(browser, folder):
    busy_file(folder)
    identity = begun(browser)
    published(browser, identity)
    browser.post(f"/p/{identity}/cancel")
    page = ended(browser, identity)
    out = folder / "tacita-studio" / "releases" / "taps-1"
    job = browser.studio.jobs.look(browser.studio.publications.place(identity) / "publish.journal")
    assert job.state is (State.DONE if out.exists() else State.CANCELLED)
    assert ("Download" in page.text) == out.exists()
    assert Ledger(folder / "tacita-studio" / "studio.ledger").verify().entries >= 0


def test_bad_input_is_a_sentence_on_the_page(browser):
    assert "does not exist" in browser.post("/new", elsewhere="nothing.csv", kind="sequences").text
    assert "kind must be one of" in browser.post("/new", file="taps.csv", kind="nonsense").text
    assert "epsilon must be" in browser.post("/ledger", dataset="taps", epsilon="nan").text.replace("Epsilon", "epsilon")
    assert "not whole" in browser.post(f"/p/{begun(browser)}/data", form={"version": "x"}).text


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "x"])
def test_a_budget_or_universe_that_is_none_publishes_nothing(browser, folder, epsilon):
    assert published(browser, begun(browser), epsilon=epsilon).status == 422
    identity = publication_of(browser.post("/new", file="taps.csv"))
    answer = browser.post(f"/p/{identity}/data", form={"option.universe": "missing.txt", "version": "1", "do": "confirm"})
    assert answer.place == f"/p/{identity}/data?missing#missing"
    assert "missing.txt" in browser.get(f"/p/{identity}/data?missing").text
    assert browser.get(f"/p/{identity}/publish").place == f"/p/{identity}/data?missing#missing"
    assert list((folder / "tacita-studio" / "releases").iterdir()) == []
    assert Ledger(folder / "tacita-studio" / "studio.ledger").balances() == []


def test_a_universe_can_be_typed_and_a_file_uploaded(browser, folder):
    told = json.loads(browser.post("/upload?name=../../my%20taps.csv", body=(folder / "taps.csv").read_bytes()).body)
    assert told["file"] == "tacita-studio/files/my-taps.csv"
    identity = publication_of(browser.post("/new", file=told["file"], kind="sequences"))
    form = {"labels.from": "paste", "labels.text": "A\r\nB\r\nC\r\nD\r\nA", "version": "1"}
    browser.post(f"/p/{identity}/data", form=form)
    kept = browser.studio.publications.find(identity).options["universe"]
    assert (folder / kept).read_text(encoding="utf-8") == "A\nB\nC\nD\n"


def test_what_is_typed_is_shown_as_text(browser, folder):
    (folder / "<b>.csv").write_text("<script>alert(1)</script>,label,time\n1,A,0\n", encoding="utf-8")
    identity = publication_of(browser.post("/new", file="<b>.csv", kind="sequences"))
    page = browser.get(f"/p/{identity}/data").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


@pytest.mark.slow
def test_forecasts_of_all_methods_fill_the_comparison(browser):
    identity = begun(browser)
    studio = browser.studio
    shown = wait_for(
        lambda: (found := studio.comparison(studio.publications.find(identity)))["comparison"].waiting == 0 and found, seconds=900
    )
    cells = shown["comparison"].cells
    chosen = shown["comparison"].chosen
    assert {cell.method for cell in cells} | {chosen} == {AUTO, *(method.name for method in shown["methods"])}
    assert all(cell.figures or cell.refusal for cell in cells)  # without a number of records: the noise of the plans
    assert "<svg" in browser.get(f"/p/{identity}/compare").text


EXAMPLES = [(kind.name, world) for kind in kinds().values() for world in kind.worlds[:1] if kind.example]


def cards(world):
    """What the columns of a simulated table may hold, as its page asks for it."""
    declared = json.loads((world / "columns.json").read_text(encoding="utf-8"))
    sensitive = {"type": "categorical", "sensitive": "yes"} | declared.get("sensitive", {})
    named = {one["name"]: one for one in (*declared["quasi"], sensitive) if "name" in one}
    typed = {"answer.person": "0"}
    for place, name in enumerate((world / "tables.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")):
        one = named.get(name)
        if one is None:
            typed |= {f"role.{place}": ""}
            continue
        parents = {parent for _, parent in one.get("edges", ())}
        values = one.get("values") or [child for child, _ in one.get("edges", ()) if child not in parents]
        held = {
            "low": one.get("low"),
            "high": one.get("high"),
            "values": "\n".join(map(str, values)),
            "sensitive": one.get("sensitive"),
        }
        typed |= {f"role.{place}": "as number" if one["type"] == "numeric" else "as category", f"switch.column.{place}": "1"}
        typed |= {f"column.{place}.{key}": str(text) for key, text in held.items() if text not in (None, "")}
    return typed


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "world"), EXAMPLES)
def test_every_kind_of_data_goes_from_a_file_to_a_release_and_a_report(tmp_path, kind, world):
    assert main(["simulate", world, "--records", "500", "--out", str(tmp_path / "world")]) == 0
    browser = Browser(Studio(Workspace.at(tmp_path)), Secrets())
    browser.open()
    registered = kinds()[kind]
    example = dict(zip(registered.example[::2], registered.example[1::2], strict=True))
    given = {flag.removeprefix("--").replace("-", "_"): text for flag, text in example.items()}
    method, epsilon = given.pop("method", "raked"), given.pop("epsilon", "1")
    own = {option.field_name for option in registered.options}
    options = {"universe": "world/universe.txt"} if "universe" in own and (tmp_path / "world" / "universe.txt").exists() else {}
    options |= {name: text for name, text in given.items() if name in own}
    parameters = {name: text for name, text in given.items() if name not in own}
    tree = method_named(method).option("taxonomy")
    if (tmp_path / "world" / "taxonomy.csv").exists() and tree is not None and tree.needs is None:
        parameters["taxonomy"] = "world/taxonomy.csv"
    data = next(path.name for path in (tmp_path / "world").iterdir() if path.stem == kind)
    columns = cards(tmp_path / "world") if "columns" in own else {}
    identity = begun(
        browser,
        file=f"world/{data}",
        kind=kind,
        options=options,
        parameters=parameters or {"nothing": ""},
        **columns,
    )
    answer = published(browser, identity, method=method, epsilon=epsilon)
    assert answer.status == 303, answer.text
    page = ended(browser, identity)
    assert "Download the release" in page.text, page.text
    browser.post(f"/p/{identity}/report")
    wait_for(lambda: browser.studio.result(browser.studio.publications.find(identity))["report"].state.has_ended)
    for which in ("owner", "shared"):
        report = browser.get(f"/p/{identity}/report/{which}")
        assert (report.status, "script-src" in report.headers["content-security-policy"]) == (200, False)
        assert "<svg" in report.text
    browser.studio.forecaster.close()


GRID = {"option.time_start": "0", "option.time_step": "1", "option.time_intervals": "3"}


def test_a_field_says_which_other_one_it_is_refused_without(browser):
    identity = publication_of(browser.post("/new", file="taps.csv", kind="trajectories"))
    told = "Suppression takes it only together with <em>{}</em>."
    browser.post(f"/p/{identity}/data", form={"option.universe": "stations.txt", "version": "1", "times.grid": "own"} | GRID)
    page = browser.get(f"/p/{identity}/compare").text
    assert all(told.format(title) in page for title in ("place depth", "taxonomy"))


DECLARED = """
kind = "sequences"
input = "tram.csv"
method = "prefix-tree"
[reading]
separator = ";"
person = "card"
label = "stop"
time = "tap"
time-format = "%d/%m/%Y %H:%M"
[public]
universe = "stations.txt"
[parameters]
height = 2
[budget]
epsilon = 4
ledger = "tram.ledger"
create-ledger = true
dataset = "tram"
[output]
out = "elsewhere"
format = "parquet"
"""


@pytest.fixture
def declared(folder):
    """A folder whose `tacita.toml` declares a file that the studio could not read without it."""
    rows = [f"p{person};{'ABCD'[(person + step) % 4]};03/11/2026 08:{step:02}" for person in range(400) for step in range(3)]
    (folder / "tram.csv").write_text("\ufeff" + "\n".join(["card;stop;tap", *rows]) + "\n", encoding="utf-8")
    for name in ("tacita.toml", "before.toml"):
        (folder / name).write_text(DECLARED, encoding="utf-8")
    return folder


def opened(folder, **given):
    """A browser that has opened the studio of a folder."""
    found = Browser(Studio(Workspace.at(folder, **given)), Secrets())
    found.open()
    return found


@pytest.mark.parametrize("chosen", [{"file": "tacita.toml"}, {"file": "tram.csv", "kind": "sequences"}])
def test_a_declared_file_is_published_without_typing_anything(declared, chosen):
    browser = opened(declared)
    assert "Go on with tacita.toml" in browser.get("/new").text
    identity = publication_of(browser.post("/new", **chosen))
    assert browser.studio.publications.find(identity).options["time_format"] == "%d/%m/%Y %H:%M"
    page = browser.get(f"/p/{identity}/publish").text
    assert "tacita publish --config tacita.toml" in page
    assert "tram.ledger" in page
    before, now = (read_configuration(path) for path in (declared / "before.toml", declared / "tacita.toml"))
    assert {**before.values, "out": ""} == {**now.values, "out": ""}
    assert browser.post(f"/p/{identity}/publish", do="publish", version="1").status == 303
    ended(browser, identity)
    assert Ledger(declared / "tram.ledger").balance("tram").epsilon == 4
    folder = declared / browser.studio.publications.find(identity).out
    assert (folder / "sequences.parquet").is_file()
    browser.studio.forecaster.close()


def test_lines_that_are_open_are_asked_on_the_page(declared):
    text = DECLARED.replace('universe = "stations.txt"', 'universe = "?"').replace("epsilon = 4", 'epsilon = "?"')
    (declared / "tacita.toml").write_text(text, encoding="utf-8")
    browser = opened(declared)
    identity = publication_of(browser.post("/new", file="tacita.toml"))
    assert "universe" not in browser.studio.publications.find(identity).options
    assert browser.get(f"/p/{identity}/publish").place == f"/p/{identity}/data?missing#missing"
    assert 'href="#labels"' in browser.get(f"/p/{identity}/data?missing").text
    browser.post(f"/p/{identity}/data", form={"option.universe": "stations.txt", "version": "1", "do": "confirm"})
    assert browser.get(f"/p/{identity}/publish").place == f"/p/{identity}/compare#choice"  # nobody said what it may cost
    browser.studio.forecaster.close()


def test_a_configuration_that_was_changed_outside_is_never_overwritten_and_can_be_taken_over(declared):
    browser = opened(declared)
    identity = publication_of(browser.post("/new", file="tacita.toml"))
    (declared / "tacita.toml").write_text(DECLARED.replace("height = 2", "height = 3"), encoding="utf-8")
    answer = browser.post(f"/p/{identity}/data", form={"version": "1", "do": "confirm", "dataset": "other"})
    assert (answer.status, "changed outside" in answer.text) == (409, True)
    assert "height = 3" in (declared / "tacita.toml").read_text(encoding="utf-8")
    assert browser.get(f"/p/{identity}/publish").status == 409
    assert browser.post(f"/p/{identity}/take-over").place == f"/p/{identity}/data"
    assert browser.studio.publications.find(identity).parameters["height"] == "3"
    browser.studio.forecaster.close()


def test_a_second_file_writes_a_configuration_of_its_own(declared):
    browser = opened(declared)
    begun(browser)
    assert read_configuration(declared / "taps.toml").values["input"] == "taps.csv"
    assert (declared / "tacita.toml").read_text(encoding="utf-8") == DECLARED
    browser.studio.forecaster.close()


def test_an_attempt_without_a_release_is_mended_in_place_and_folds(browser):
    identity = begun(browser)
    place = browser.studio.publications.place(identity)
    started, browser.studio.jobs.start = (
        browser.studio.jobs.start,
        lambda journal, _words: journal.write_text(
            json.dumps({"code": 1, "out": "", "error": "tacita: the disk is full"}) + "\n", encoding="utf-8"
        ),
    )
    published(browser, identity)
    browser.studio.jobs.start = started
    page = browser.get(f"/p/{identity}/result")
    assert "The disk is full" in page.text
    assert browser.post(f"/p/{identity}/mend", to="publish").place == f"/p/{identity}/publish"
    assert (place / "publish-1.journal").is_file()
    home = browser.get("/").text
    assert home.count(f"/p/{identity}/") == 1
    assert "1 attempt without a release, nothing spent" in home
    assert "The disk is full" in home
    assert browser.studio.publications.find(identity).options["universe"] == "stations.txt"
    assert browser.post(f"/p/{identity}/mend", to="publish").place == f"/p/{identity}/publish"  # once is enough
    assert len(browser.studio.publications.find(identity).attempts) == 1


@pytest.mark.parametrize("source", ["file", "catalogue"])
def test_labels_never_come_from_the_private_file(browser, source):
    identity = publication_of(browser.post("/new", file="taps.csv"))
    typed = {"labels.from": source, "option.universe": "taps.csv", "labels.table": "taps.csv", "labels.column": "label"}
    answer = browser.post(f"/p/{identity}/data", form=typed | {"version": "1", "do": "confirm"})
    page = answer if answer.status == 422 else browser.get(f"/p/{identity}/data?missing")
    assert "must not come from the private file" in page.text


def test_a_catalogue_gives_the_values_of_its_column(browser, folder):
    (folder / "stops.csv").write_text("line;stop\n1;A\n1;B\n2;A\n", encoding="utf-8")
    identity = publication_of(browser.post("/new", file="taps.csv"))
    form = {"labels.from": "catalogue", "labels.table": "stops.csv", "labels.column": "stop", "version": "1"}
    browser.post(f"/p/{identity}/data", form=form)
    kept = browser.studio.publications.find(identity).options["universe"]
    assert (folder / kept).read_text(encoding="utf-8") == "A\nB\n"


def test_a_page_says_what_it_would_write_without_writing_it(browser, folder):
    identity = publication_of(browser.post("/new", file="taps.csv"))
    shown = browser.post(f"/p/{identity}/draft", form={"option.universe": "stations.txt", "version": "1"})
    assert "universe = &#34;stations.txt&#34;" in shown.text
    assert "Ready to compare" in shown.text
    assert browser.studio.publications.find(identity).version == 1
    assert not (folder / "tacita.toml").exists()


def test_two_columns_cannot_both_be_the_person(browser):
    identity = publication_of(browser.post("/new", file="taps.csv"))
    form = {"role.0": "person", "role.1": "person", "role.2": "time", "option.universe": "stations.txt", "version": "1"}
    browser.post(f"/p/{identity}/data", form=form)
    page = browser.get(f"/p/{identity}/data?missing").text
    assert "Only one column can be the person: id and label are chosen." in page
    assert 'href="#role-1"' in page


def test_another_file_of_the_folder_takes_nothing_from_the_declaration(declared):
    browser = opened(declared)
    identity = publication_of(browser.post("/new", file="taps.csv", kind="sequences"))
    assert "separator" not in browser.studio.publications.find(identity).options
    browser.studio.forecaster.close()


def test_a_ledger_other_than_the_declared_one_is_not_charged(declared):
    Ledger.create(declared / "other.ledger")
    browser = opened(declared, ledger=declared / "other.ledger")
    refused = browser.post("/new", file="tacita.toml")
    assert refused.status == 422
    assert "tram.ledger" in refused.text
    browser.studio.forecaster.close()


def test_declared_columns_of_a_table_reach_the_studio(folder):
    (folder / "people.csv").write_text(
        "age,sex\n" + "\n".join(f"{20 + n % 40},{'FM'[n % 2]}" for n in range(200)), encoding="utf-8"
    )
    (folder / "tacita.toml").write_text(
        'kind = "tables"\ninput = "people.csv"\n[columns.age]\ntype = "number"\nlow = 0\nhigh = 99\n'
        '[columns.sex]\ntype = "category"\nvalues = ["F", "M"]\n',
        encoding="utf-8",
    )
    browser = opened(folder)
    identity = publication_of(browser.post("/new", file="tacita.toml"))
    assert browser.studio.publications.find(identity).columns["age"] == {"type": "number", "low": 0, "high": 99}
    confirmed = browser.post(f"/p/{identity}/data", form={"answer.person": "0", "version": "1", "do": "confirm"})
    assert confirmed.place == f"/p/{identity}/compare"
    kept = browser.post(f"/p/{identity}/choose", form={"method": "top-down", "epsilon": "1", "version": "2"})
    assert kept.status == 303
    answer = browser.post(f"/p/{identity}/publish", do="publish", version="3")
    assert answer.status == 303, re.findall(r'role="alert">(.*?)</div>', answer.text, re.DOTALL)
    ended(browser, identity)
    assert (folder / browser.studio.publications.find(identity).out / "manifest.json").is_file()
    browser.studio.forecaster.close()
