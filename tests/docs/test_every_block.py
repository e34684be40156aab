"""Every command and every piece of code in the documents runs: in a test of its own page, or here, block after block."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tacita.cli import main
from tacita.cli.parser import build_parser

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)

ELSEWHERE = {
    "README.md": "test_documents.py",
    "CONTRIBUTING.md": "test_documents.py",  # its targets exist
    "docs/explanation/errata.md": "test_errata.py",
    "docs/explanation/what-an-audit-proves.md": "test_documents.py",
    "docs/how-to/add-a-method.md": "test_sample_package.py",
    "docs/how-to/audit-any-mechanism.md": "test_audit_any_mechanism.py",
    "docs/how-to/configure-and-script.md": "test_documents.py",
    "docs/how-to/forecast-before-spending.md": "test_documents.py",
    "docs/how-to/hide-patterns.md": "test_documents.py",
    "docs/how-to/publish-a-table.md": "test_documents.py",
    "docs/how-to/publish-baskets.md": "test_documents.py",
    "docs/how-to/publish-times.md": "test_documents.py",
    "docs/how-to/publish-trajectories.md": "test_trajectory_pages.py",
    "docs/how-to/read-from-a-database.md": "../unit/io/test_databases.py",
    "docs/how-to/report-on-a-release.md": "test_documents.py",
    "docs/how-to/test-your-code.md": "test_documents.py",
    "docs/how-to/use-a-release.md": "test_documents.py",
    "docs/reference/file-formats.md": "test_file_formats.py",
    "docs/reference/utility.md": "test_utility_page.py",
    "docs/tutorials/first-release.md": "test_documents.py",
}
QUICK = (
    "docs/how-to/count-more-than-memory.md",
    "docs/how-to/inspect-a-file.md",
    "docs/how-to/keep-a-ledger.md",
    "docs/how-to/publish-places.md",
    "docs/how-to/reproduce-the-papers.md",
    "docs/how-to/use-public-data.md",
    "docs/how-to/use-the-studio.md",
    "docs/tutorials/python-in-ten-minutes.md",
)
SLOW = (
    "docs/how-to/choose-a-method.md",
    "docs/how-to/publish-a-network.md",
    "docs/how-to/publish-movements.md",
    "docs/how-to/publish-streams.md",
    "docs/reference/simulated-worlds.md",
    "docs/tutorials/baskets.md",
    "docs/tutorials/network.md",
    "docs/tutorials/personal.md",
    "docs/tutorials/stream.md",
    "docs/tutorials/table.md",
    "docs/tutorials/trajectories.md",
)


def blocks(page):
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def test_every_page_with_commands_or_code_has_a_test():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    with_blocks = {str(page.relative_to(ROOT)) for page in pages if BLOCK.search(page.read_text(encoding="utf-8"))}
    assert with_blocks == {*ELSEWHERE, *QUICK, *SLOW}
    for page, test in ELSEWHERE.items():
        text = (Path(__file__).parent / test).read_text(encoding="utf-8")
        assert Path(page).stem in text or page in {"CONTRIBUTING.md", "docs/how-to/add-a-method.md"}, page


def prepare(page):
    """The files that a page takes for granted."""
    if page.endswith("choose-a-method.md"):
        Path("stations.csv").write_text("station\n" + "".join(f"s{number}\n" for number in range(12)), encoding="utf-8")
    if page.endswith("publish-a-network.md"):
        assert main(["simulate", "network", "--records", "200", "--out", "made"]) == 0
        Path("made/universe.txt").rename("vertices.txt")
        Path("made/networks.txt").rename("edges.txt")
    if page.endswith("publish-streams.md"):
        Path("events.jsonl").write_text('{"time": 0, "id": "ann", "label": "cell 1"}\n', encoding="utf-8")


def run_block(language, text, names):
    if language == "python":
        exec(compile(text, "block", "exec"), names)
        return
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["tacita"]:
            assert not words, line
        elif words[1] == "studio":
            build_parser().parse_args(words[1:])  # it runs until it is stopped; its own tests do that
        else:
            assert main(words[1:]) == 0, line


@pytest.mark.parametrize("page", [*QUICK, *(pytest.param(page, marks=pytest.mark.slow) for page in SLOW)])
def test_the_blocks_of_a_page_run_one_after_another(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare(page)
    names = {"first": [0, 1, 2], "second": [3, 4, 5]}  # places of vertices, which a page chooses
    for language, text in blocks(page):
        run_block(language, text, names)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path):
    pytest.importorskip("zensical", reason="needs the extra docs: make docs installs it")
    done = subprocess.run(
        [Path(sys.executable).with_name("zensical"), "build", "--clean", "--strict"],
        cwd=ROOT,
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "No issues found" in done.stdout + done.stderr) == (0, True), done.stdout + done.stderr
    made = list((ROOT / "site").rglob("*.html"))
    assert len(made) > 40
    page = (ROOT / "site" / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'(?:<script[^>]* src|<link[^>]* href)="?(https?://[^" >]+)', page)
    assert loaded == []
