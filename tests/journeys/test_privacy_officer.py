"""A hospital's privacy officer sets a cap, sees that it holds, reads a report, and verifies what is handed over."""

from __future__ import annotations

import json
from pathlib import Path

CODES = [f"I{number}" for number in range(10, 22)]


def lay_out():
    rows = [f"{patient},{CODES[patient * step % 12]},{step}" for patient in range(400) for step in range(3)]
    Path("visits.csv").write_text("patient,diagnosis,visit\n" + "\n".join(rows) + "\n", encoding="utf-8")
    Path("codes.txt").write_text("\n".join(CODES) + "\n", encoding="utf-8")


def test_a_cap_holds_a_report_is_readable_and_an_edited_release_is_noticed(person):
    lay_out()
    person.does("tacita ledger create hospital.ledger")
    person.does("tacita ledger cap hospital.ledger --dataset visits --epsilon 1.5")
    read = "visits.csv --person patient --label diagnosis --time visit --universe codes.txt --ledger hospital.ledger"
    person.does(f"tacita publish sequences {read} --epsilon 1 --out release")
    code, said = person.types(f"tacita publish sequences {read} --epsilon 1 --out second")
    assert code == 1
    assert "epsilon 0.5 left of its cap 1.5" in said
    assert "ask for less, or let the owner raise the cap" in said
    assert not Path("second").exists()
    assert "epsilon 1 spent of epsilon 1.5" in person.does("tacita ledger show hospital.ledger")
    person.does("tacita report visits.csv release --person patient --label diagnosis --time visit")
    assert "for the owner" in Path("release-owner-report.html").read_text(encoding="utf-8").casefold()
    person.does("tacita verify release")
    manifest = json.loads(Path("release/manifest.json").read_text(encoding="utf-8"))
    manifest["guarantee"]["epsilon"] = "0.1"
    Path("release/manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    code, said = person.types("tacita verify release")
    assert code == 1, said


def test_a_typo_in_a_column_is_answered_with_the_columns_that_are_there(person):
    lay_out()
    read = "visits.csv --person patients --label diagnosis --time visit --universe codes.txt"
    code, said = person.types(f"tacita publish sequences {read} --epsilon 1 --out release")
    assert code == 1
    assert "patient, diagnosis, visit" in said
    assert "--person" in said
