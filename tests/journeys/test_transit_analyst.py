"""A transit analyst has a CSV with semicolons, a byte order mark, dates like 03/11/2026 08:15 and one broken line."""

from __future__ import annotations

import json
from pathlib import Path

STATIONS = ["Älvsjö", "Berri; north", "Central", "Dôle", "East"]


def lay_out():
    rows = []
    for card in range(600):
        for step in range(3):
            station = STATIONS[(card * (step + 1)) % len(STATIONS)]
            quoted = f'"{station}"' if ";" in station else station
            rows.append(f"{70_000 + card};{quoted};{card % 12 + 1:02d}/11/2026 {6 + step * 4:02d}:15;{step},50")
    rows.insert(900, "70001;Central;yesterday;1,00")
    Path("taps.csv").write_text("card;station;tap;fare\n" + "\n".join(rows) + "\n", encoding="utf-8-sig")
    Path("stations.txt").write_text("\n".join(STATIONS) + "\n", encoding="utf-8")


def test_three_commands_lead_from_the_file_to_a_release_and_two_more_judge_it(person):
    lay_out()
    seen = person.does("tacita inspect taps.csv")
    assert "Kind: sequences" in seen
    assert "line 902" in seen, "the odd row is shown by its position"
    assert "yesterday" not in seen, "and never by its value"
    person.edits({"time-format": '"%d/%m/%Y %H:%M"', "universe": '"stations.txt"', "epsilon": "1"})
    assert "epsilon = 1" in person.does("tacita explain")
    said = person.does("tacita publish")
    assert "1-differential privacy" in said
    assert len(person.typed) == 3
    person.does("tacita evaluate")
    person.does("tacita report")
    manifest = json.loads(Path("taps-release/manifest.json").read_text(encoding="utf-8"))
    released = Path("taps-release", next(file["name"] for file in manifest["files"] if file["role"] == "data"))
    assert {line.split(",")[1].strip('"') for line in released.read_text(encoding="utf-8").splitlines()[1:]} <= set(STATIONS)
    assert "902" not in json.dumps(manifest)


def test_whoever_goes_on_too_early_is_told_what_is_missing(person):
    lay_out()
    code, said = person.types("tacita publish taps.csv")
    assert code == 2
    assert "the kind of data comes first" in said
    person.does("tacita inspect taps.csv")
    code, said = person.types("tacita publish")
    assert code == 1
    assert "time-format (line " in said
    assert "universe (line " in said
    assert "epsilon (line " in said
    assert not Path("taps.ledger").exists()


def test_later_rows_do_not_change_how_the_file_is_read(person):
    """All dates could be month first as well; what was confirmed holds, and one row that does not fit is left out alone."""
    lay_out()
    person.does("tacita inspect taps.csv")
    person.edits({"time-format": '"%d/%m/%Y %H:%M"', "universe": '"stations.txt"', "epsilon": "1"})
    with Path("taps.csv").open("a", encoding="utf-8") as file:
        file.write("70001,Central,2026-11-03T08:15,1.00\n")
    person.does("tacita publish")
