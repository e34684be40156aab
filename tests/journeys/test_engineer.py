"""An engineer publishes a stream of events from a file, stops it, and takes it up again."""

from __future__ import annotations

import json
from pathlib import Path


def test_a_stream_is_declared_once_published_and_resumed(person):
    events = [
        {"ts": step, "device": f"d{number}", "cell": f"cell{(number + step) % 4}"} for step in range(40) for number in range(30)
    ]
    Path("events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    Path("cells.txt").write_text("".join(f"cell{number}\n" for number in range(4)), encoding="utf-8")
    assert "Kind: streams, because you named it" in person.does("tacita inspect events.jsonl --kind streams")
    person.edits(
        {
            "universe": '"cells.txt"',
            "time-start": "0",
            "time-step": "1",
            "time-intervals": "60",
            "contexts": "10",
            "epsilon": "1",
        }
    )
    assert "40 timestamps were added" in person.does("tacita stream --clock events")
    assert len(person.typed) == 2
    with Path("events.jsonl").open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(event | {"ts": event["ts"] + 40}) + "\n" for event in events if event["ts"] < 5))
    assert "timestamps were added" in person.does("tacita stream --clock events")
    lines = Path("events-release/stream.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["place"] for line in lines] == list(range(45))
    assert "spent" in person.does("tacita ledger show events.ledger")


def test_a_start_without_a_state_folder_says_which_option_is_missing(person):
    Path("events.jsonl").write_text('{"time": 0, "id": "a", "label": "x"}\n', encoding="utf-8")
    code, said = person.types("tacita stream events.jsonl --epsilon 1")
    assert code == 2
    assert "--state" in said
