"""Draw what each tutorial releases, for its page: `python tools/tutorial_pictures.py [NAME ...]`.

The commands of a tutorial run in a temporary folder, as its reader types them; the first picture of the release that they leave
there becomes `docs/pictures/tutorial-NAME.svg`. The noise is fresh, so the pictures change a little each time.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import chdir, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import tacita as ta
from tacita.cli import main as command
from tacita.pictures import Picture

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
TUTORIALS = {
    "first-release": "mine",
    "baskets": "",
    "trajectories": "city-release",
    "table": "census-k",
    "network": "",
    "stream": "counts",
    "personal": "",
}
"""Each tutorial, and the folder of the release to draw; the first one that it leaves if none is named."""


def typed(text: str) -> None:
    """What the commands and the code of a page do, one after the other, in the working directory; refusals are part of a page."""
    for language, block in BLOCK.findall(text):
        if language == "python":
            exec(block, {})  # noqa: S102 - our own page
            continue
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["cd"]:
                os.chdir(words[1])
            if words[:2] == ["make", "demo"]:
                words = ["tacita", "demo"]
            if words[:1] == ["tacita"] and words[1:2] != ["studio"]:
                with suppress(SystemExit), redirect_stdout(StringIO()):
                    command(words[1:])


def drawn(name: str, folder: str) -> Picture:
    """The first picture of the release that a tutorial leaves, in one piece."""
    with TemporaryDirectory() as place, chdir(place):
        typed((DOCS / "tutorials" / f"{name}.md").read_text(encoding="utf-8"))
        found = [path.parent for path in sorted(Path(place).rglob("manifest.json"))]
        release = next(each for each in found if not folder or each.name == folder)
        return next(picture for picture in ta.open_release(release).data.pictures() if not picture.panes)


def main() -> None:
    """Draw those that are named, or all."""
    for name in sys.argv[1:] or TUTORIALS:
        path = DOCS / "pictures" / f"tutorial-{name}.svg"
        path.write_text(drawn(name, TUTORIALS[name]).svg(), encoding="utf-8")
        print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
