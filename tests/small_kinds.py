"""One small data set of each kind, and how the command line publishes it."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field

import polars as pl

from tacita.kinds import method_named


@dataclass(frozen=True, kw_only=True)
class Small:
    """Rows that a kind reads, the public files that go with them, and the words that publish them."""

    rows: list[dict[str, object]]
    words: list[str]
    files: dict[str, str] = field(default_factory=lambda: {"labels.txt": "A\nB\nC\n"})
    is_private: bool = True

    @property
    def kind(self) -> str:
        """The kind of the method that publishes them."""
        return method_named(self.words[self.words.index("--method") + 1]).kind

    @property
    def csv(self) -> bytes:
        """The rows as a file with a header."""
        target = io.BytesIO()
        pl.DataFrame(self.rows).write_csv(target)
        return target.getvalue()

    def lay_out(self, folder, data: bytes | None = None, *, name: str = "raw.csv") -> list[str]:
        """Write the files into a folder, and give the words of the command that publishes them."""
        for public, text in self.files.items():
            (folder / public).write_text(text, encoding="utf-8")
        (folder / name).write_bytes(self.csv if data is None else data)
        public = ["--universe", str(folder / "labels.txt")] if "labels.txt" in self.files else []
        words = [word.replace("FOLDER", str(folder)) for word in self.words]
        return ["publish", self.kind, str(folder / name), *words, *public, "--out", str(folder / "out")]


def _visits(count: int) -> list[dict[str, object]]:
    return [{"id": person, "label": label, "time": time} for person in range(count) for time, label in enumerate("ABA")]


_LINE = ["--time-start", "0", "--time-step", "1", "--time-intervals", "4"]
_SUPPRESSION = ["--method", "suppression", "--crowd", "2", "--known-pairs", "2"]
_ILLNESSES = ["flu", "none", "none"] * 20
_COLUMNS = {
    "quasi": [
        {"name": "age", "type": "numeric", "low": 0, "high": 99, "widths": [10, 50]},
        {"name": "town", "type": "categorical", "edges": [["A", "*"], ["B", "*"]]},
    ],
    "sensitive": {"name": "illness", "values": ["flu", "none"]},
}

SMALL = {
    "sequences": Small(rows=_visits(60), words=["--method", "prefix-tree", "--height", "2", "--epsilon", "4"]),
    "sets": Small(
        rows=[{"id": row["id"], "label": row["label"]} for row in _visits(60)], words=["--method", "diffpart", "--epsilon", "4"]
    ),
    "networks": Small(
        rows=[{"source": "A", "target": "B"}, {"source": "B", "target": "C"}], words=["--method", "degree", "--epsilon", "4"]
    ),
    "trajectories": Small(
        rows=_visits(60),
        words=[*_SUPPRESSION, "--attributes", "FOLDER/attributes.csv", "--sensitive", "illness=flu<=60%", *_LINE],
        files={
            "labels.txt": "A\nB\nC\n",
            "attributes.csv": "id,illness\n"
            + "".join(f"{person},{'flu' if person % 3 == 0 else 'none'}\n" for person in range(60)),
        },
    ),
    "tables": Small(
        rows=[{"age": 20 + person, "town": "AB"[person % 2], "illness": illness} for person, illness in enumerate(_ILLNESSES)],
        words=["--method", "mondrian", "--models", "k=5", "--columns", "FOLDER/columns.json"],
        files={"columns.json": json.dumps(_COLUMNS)},
    ),
    "people": Small(
        rows=[{"age": 20 + person, "town": "AB"[person % 2], "id": person} for person in range(60)],
        words=[
            *("--method", "by-class", "--class-column", "town", "--epsilon", "4", "--columns", "FOLDER/columns.json"),
            *("--person", "id", "--events", "FOLDER/events.csv", "--label", "label", "--time", "time"),
        ],
        files={
            "labels.txt": "A\nB\nC\n",
            "columns.json": json.dumps({"quasi": _COLUMNS["quasi"]}),
            "events.csv": "id,label,time\n" + "".join(f"{row['id']},{row['label']},{row['time']}\n" for row in _visits(60)),
        },
    ),
    "streams": Small(
        rows=sorted(_visits(60), key=lambda row: row["time"]),
        words=["--method", "pace", "--contexts", "2", "--epsilon", "4", *_LINE],
    ),
    "personal": Small(
        rows=_visits(3), words=["--method", "pattern-hiding", "--bound", "belief=0.9", "--patterns", "A, B", "--fan-out", "2"]
    ),
}
