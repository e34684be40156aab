"""Four owners, each from a file to a report, by forms as a browser without a script sends them: nothing is typed twice."""

import json
import random
import re

import pytest

from studios import Browser, form_of, publication_of, submitted, wait_for
from tacita.kinds.configuration import read_configuration
from tacita.studio.guard import Secrets
from tacita.studio.pages import Studio
from tacita.studio.workspace import Workspace

STATIONS = [f"St {letter}" for letter in "ABCDEFGH"]


@pytest.fixture
def opened(tmp_path):
    """Opens the studio of a folder."""
    begun = []

    def start():
        found = Browser(Studio(Workspace.at(tmp_path)), Secrets())
        begun.append(found)
        assert found.open().status == 200
        return found

    yield start
    for found in begun:
        found.studio.close()


def tram(folder):
    """A file with semicolons, a byte order mark and dates that both orders fit, and the public list of its stations."""
    drawn = random.Random(1)
    rows = [
        f"{10_000 + card};{drawn.choice(STATIONS)};{drawn.randint(1, 12):02}/11/2026 {drawn.randint(5, 23):02}:15;{card % 7}"
        for card in range(300)
        for _ in range(3)
    ]
    text = "\n".join(["Card No.;Station Name;Tap Time;Gate", *rows]) + "\n"
    (folder / "tram.csv").write_text(text, encoding="utf-8-sig")
    (folder / "stations.txt").write_text("\n".join(STATIONS) + "\n", encoding="utf-8")


PATIENTS = {
    "patient_id": lambda number, _drawn: f"P{number:05}",
    "age": lambda _number, drawn: str(drawn.randint(0, 99)),
    "sex": lambda _number, drawn: drawn.choice("FM"),
    "insurance": lambda _number, drawn: drawn.choice(["public", "private", "none"]),
    "admitted": lambda _number, drawn: f"{drawn.randint(13, 28)}.0{drawn.randint(1, 9)}.2024",
    "los_days": lambda _number, drawn: str(drawn.randint(0, 40)),
    "bmi": lambda _number, drawn: f"{drawn.randint(150, 450) / 10:.1f}".replace(".", ","),
    "systolic": lambda _number, drawn: str(drawn.randint(80, 220)) if drawn.random() > 0.1 else "",
    "smoker": lambda _number, drawn: drawn.choice(["yes", "no"]),
    "ward": lambda _number, drawn: drawn.choice("ABCDE"),
    "cost_eur": lambda _, drawn: f"{drawn.randint(10_000, 900_000) / 100:.2f}".replace(".", ",") if drawn.random() > 0.1 else "",
    "visits": lambda _number, drawn: str(drawn.randint(0, 9)),
    "readmitted": lambda _number, drawn: drawn.choice(["yes", "no"]),
    "triage": lambda _number, drawn: drawn.choice(["red", "amber", "green"]),
    "diagnosis": lambda _number, drawn: drawn.choice(["I10", "E11", "J45", "F32"]),
}


def patients(folder):
    """Fifteen columns, as a spreadsheet exports them: semicolons, a byte order mark, decimal commas, dates, missing values."""
    drawn = random.Random(2)
    rows = [";".join(column(number, drawn) for column in PATIENTS.values()) for number in range(400)]
    (folder / "patients.csv").write_text("\n".join([";".join(PATIENTS), *rows]) + "\n", encoding="utf-8-sig")


BOUNDS = {
    "age": {"low": "0", "high": "110"},
    "sex": {"values": "F, M, X"},
    "insurance": {"values": "public\nprivate\nnone"},
    "admitted": {"first": "2024-01-01", "last": "2024-12-31"},
    "los_days": {"low": "0", "high": "60"},
    "bmi": {"low": "10", "high": "60", "step": "0.5"},
    "systolic": {"low": "60", "high": "250"},
    "smoker": {"values": "no, yes"},
    "ward": {"values": "A, B, C, D, E"},
    "cost_eur": {"low": "0", "high": "10000", "step": "0.01"},
    "visits": {"low": "0", "high": "20"},
    "readmitted": {"values": "no, yes"},
    "triage": {"values": "red, amber, green"},
    "diagnosis": {"values": "I10, E11, J45, F32, C50"},
}


def mapped(browser, file, **typed):
    """A publication of a file whose map was confirmed with what is typed; its address."""
    identity = publication_of(submitted(browser, "/", "/new", file=file))
    answer = submitted(browser, f"/p/{identity}/data", f"/p/{identity}/data", do="confirm", **typed)
    assert answer.place == f"/p/{identity}/compare", [part.text for part in left(browser, identity)]
    return f"/p/{identity}"


def left(browser, identity):
    """What is still missing."""
    return browser.studio.files.missing(browser.studio.publications.find(identity))


def reported(browser, place, **choice):
    """Choose, publish, report and verify; the texts of the report and of the check."""
    assert submitted(browser, f"{place}/compare", f"{place}/choose", **choice).place == f"{place}/publish"
    page = browser.get(f"{place}/publish")
    assert 'value="publish" disabled' not in page.text, re.findall(r'role="alert">(.*?)</div>', page.text, re.DOTALL)
    assert browser.post(f"{place}/publish", form=form_of(page, f"{place}/publish") | {"do": "publish"}).place == f"{place}/result"
    wait_for(lambda: "/cancel" not in browser.get(f"{place}/result").text)
    page = browser.get(f"{place}/result")
    assert "Download the release" in page.text, page.text
    found = []
    for step in ("report", "verify"):
        assert submitted(browser, f"{place}/result", f"{place}/{step}").place == f"{place}/result"
        wait_for(lambda step=step: f"{place}/{step}/events" not in browser.get(f"{place}/result").text)
    assert browser.get(f"{place}/report/shared").status == 200
    found = [browser.get(f"{place}/report/owner"), browser.get(f"{place}/result")]
    assert [one.status for one in found] == [200, 200]
    assert "verified</span>" in found[1].text
    return [one.text for one in found]


# Mapping alone is quick; what follows it takes seconds.


def test_a_file_of_semicolons_is_read_as_its_owner_says_and_what_rows_cannot_settle_is_asked(opened, tmp_path):
    tram(tmp_path)
    browser = opened()
    identity = publication_of(submitted(browser, "/", "/new", file="tram.csv"))
    page = browser.get(f"/p/{identity}/data")
    assert {"semicolon", "UTF-8"} <= set(re.findall(r"<dd>(.*?)</dd>", page.text))
    assert "day first" in page.text
    assert "10005" not in page.text
    assert "as usual" not in page.text
    assert [part.field for part in left(browser, identity)] == ["answer-time-format", "labels"]
    answer = submitted(browser, f"/p/{identity}/data", f"/p/{identity}/data", option__universe="stations.txt", do="confirm")
    assert answer.place == f"/p/{identity}/data?missing#missing"
    page = browser.get(f"/p/{identity}/data?missing")
    assert 'href="#answer-time-format"' in page.text
    assert 'id="answer-time-format"' in page.text
    assert 'value="stations.txt"' in page.text  # all answers are kept
    answer = submitted(browser, f"/p/{identity}/data", f"/p/{identity}/data", **{"answer__time-format": "0", "do": "confirm"})
    assert answer.place == f"/p/{identity}/compare"
    declared = read_configuration(tmp_path / "tacita.toml").values
    wanted = {"separator": ";", "person": "Card No.", "label": "Station Name", "time": "Tap Time", "universe": "stations.txt"}
    assert wanted | {"time_format": "%d/%m/%Y %H:%M"} == {name: declared[name] for name in (*wanted, "time_format")}


def test_a_column_of_a_table_is_a_card_and_no_json_is_typed(opened, tmp_path):
    patients(tmp_path)
    browser = opened()
    identity = publication_of(submitted(browser, "/", "/new", file="patients.csv"))
    page = browser.get(f"/p/{identity}/data").text
    assert "JSON" not in page
    missing = [part.text for part in left(browser, identity)]
    assert "cost_eur needs the lowest value and the highest value and a step, such as 0.01." in missing
    mapped_table(browser, identity)
    columns = read_configuration(tmp_path / "tacita.toml").values["columns"]
    assert list(columns) == list(BOUNDS)
    assert columns["admitted"]["format"] == "%d.%m.%Y"
    assert all(one["missing"] is True for one in columns.values())  # not read off the rows, some of which lack a value
    assert columns["smoker"] == {"type": "yes/no", "values": ["no", "yes"], "missing": True}


def mapped_table(browser, identity):
    """Say what each column may hold."""
    places = {name: place for place, name in enumerate(PATIENTS)}
    typed = {f"column__{places[name]}__{key}": text for name, one in BOUNDS.items() for key, text in one.items()}
    answer = submitted(browser, f"/p/{identity}/data", f"/p/{identity}/data", do="confirm", **typed)
    assert answer.place == f"/p/{identity}/compare", [part.text for part in left(browser, identity)]
    return f"/p/{identity}"


@pytest.mark.slow
def test_journey_of_a_semicolon_file_with_a_byte_order_mark_and_day_first_dates(opened, tmp_path):
    tram(tmp_path)
    browser = opened()
    place = mapped(browser, "tram.csv", option__universe="stations.txt", **{"answer__time-format": "0"})
    report, _ = reported(browser, place, epsilon="2")
    assert "<svg" in report


@pytest.mark.slow
def test_journey_of_a_table_of_fifteen_columns_with_dates_decimals_and_missing_values(opened, tmp_path):
    patients(tmp_path)
    browser = opened()
    place = mapped_table(browser, publication_of(submitted(browser, "/", "/new", file="patients.csv")))
    report, _ = reported(browser, place, epsilon="2")
    assert "<svg" in report
    (released,) = tmp_path.glob("**/rows.csv")
    header, *rows = released.read_text(encoding="utf-8").splitlines()
    assert header.split(";") == list(BOUNDS)
    table = [dict(zip(BOUNDS, row.split(";"), strict=True)) for row in rows]
    assert all(re.fullmatch(r"\d\d\.\d\d\.2024|", row["admitted"]) for row in table)
    assert all(re.fullmatch(r"\d+,[05]|", row["bmi"]) and re.fullmatch(r"\d+,\d\d|", row["cost_eur"]) for row in table)


@pytest.mark.slow
def test_journey_of_points_with_times(opened, tmp_path):
    """Where sequences of cells have a private method, this takes it: `Cells of a map` shows wherever a kind takes them."""
    drawn = random.Random(3)
    rows = [
        f"t{taxi},{39.8 + drawn.random() / 5:.5f},{116.3 + drawn.random() / 5:.5f},2008-02-02 {hour:02}:10:00"
        for taxi in range(150)
        for hour in range(8, 11)
    ]
    (tmp_path / "taxis.csv").write_text("\n".join(["taxi,lat,lon,time", *rows]) + "\n", encoding="utf-8")
    line = {"type": "LineString", "coordinates": [[116.31, 39.81], [116.48, 39.98]]}
    (tmp_path / "coast.geojson").write_text(json.dumps(line), encoding="utf-8")
    browser = opened()
    box = {"south": "39.8", "west": "116.3", "north": "40.0", "east": "116.5", "size": "12km", "outline": "coast.geojson"}
    grid = {"time_start": "2008-02-02T08:00:00", "time_step": "1h", "time_intervals": "3"}
    typed = {"labels__from": "cells", **{f"cells__{side}": text for side, text in box.items()}}
    place = mapped(browser, "taxis.csv", **typed, times__grid="own", **{f"option__{name}": text for name, text in grid.items()})
    submitted(browser, f"{place}/compare", f"{place}/compare", parameter__crowd="3", parameter__known_pairs="1")
    report, _ = reported(browser, place)
    assert "<svg" in report
    assert 'class="coast"' in report


@pytest.mark.slow
def test_journey_of_a_stream_from_a_file(opened, tmp_path):
    drawn = random.Random(4)
    rows = [f"{time},{person},{drawn.choice(STATIONS)}" for time in range(24) for person in range(60)]
    (tmp_path / "phones.csv").write_text("\n".join(["time,id,label", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "stations.txt").write_text("\n".join(STATIONS) + "\n", encoding="utf-8")
    browser = opened()
    identity = publication_of(submitted(browser, "/", "/new", file="phones.csv"))
    assert submitted(browser, f"/p/{identity}/data", f"/p/{identity}/kind", kind="streams").status == 303
    grid = {"time_start": "0", "time_step": "1", "time_intervals": "24"}
    typed = {"option__universe": "stations.txt", "times__grid": "own"} | {f"option__{name}": text for name, text in grid.items()}
    answer = submitted(browser, f"/p/{identity}/data", f"/p/{identity}/data", do="confirm", **typed)
    assert answer.place == f"/p/{identity}/compare", [part.text for part in left(browser, identity)]
    submitted(browser, f"/p/{identity}/compare", f"/p/{identity}/compare", parameter__contexts="6")
    report, _ = reported(browser, f"/p/{identity}", epsilon="1")
    assert "<svg" in report


@pytest.mark.slow
def test_people_with_events_name_a_second_file_and_its_columns(opened, tmp_path):
    drawn = random.Random(5)
    people = [f"{person},{drawn.randint(0, 99)},{'AB'[person % 2]}" for person in range(200)]
    (tmp_path / "people.csv").write_text("\n".join(["id,age,class", *people]) + "\n", encoding="utf-8")
    visits = [f"{drawn.randrange(200)},{drawn.choice('KLMN')},{day}" for day in range(500)]
    (tmp_path / "visits.csv").write_text("\n".join(["id,ward,day", *visits]) + "\n", encoding="utf-8")
    (tmp_path / "wards.txt").write_text("K\nL\nM\nN\n", encoding="utf-8")
    browser = opened()
    identity = publication_of(submitted(browser, "/", "/new", file="people.csv"))
    place = f"/p/{identity}"
    assert submitted(browser, f"{place}/data", f"{place}/kind", kind="people").place == f"{place}/data"
    bounds = {"column__1__low": "0", "column__1__high": "110", "column__2__values": "A, B"}
    typed = {"option__events": "visits.csv", "option__universe": "wards.txt", **bounds}
    submitted(browser, f"{place}/data", f"{place}/data", do="confirm", **typed)
    assert [part.text for part in left(browser, identity)] == ["Which column of visits.csv is the label?"]
    answer = submitted(browser, f"{place}/data", f"{place}/data", do="confirm", option__label="ward", option__time="day")
    assert answer.place == f"{place}/compare"
    report, _ = reported(browser, place, epsilon="1")
    assert "<svg" in report
