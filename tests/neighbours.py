"""Neighbouring files, and everything that a command leaves of them: what it prints, its exit code, and the files that it writes.

Noise alone would make two runs differ, so the answers are held fixed: what was drawn for one file is given for its neighbour too.
Then all bytes must be the same. The hook replaces the class that draws, inside this process only.
"""

import json

import polars as pl

from commands import SECRET
from tacita.cli import main
from tacita.errors import ReplayError
from tacita.kinds import method_named
from tacita.testing import SeededSource

LABELS = [*"ABCD", *(f"x{place}" for place in range(40))]
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
    return [
        "publish",
        method_named(name).kind,
        "FOLDER/taps.csv",
        "--method",
        name,
        "--universe",
        "FOLDER/labels.txt",
        "--out",
        "FOLDER/out",
        *more,
    ]
