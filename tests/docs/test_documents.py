"""The documents are true: links lead somewhere, commands run, code blocks run."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from strategies import sequence_records
from tacita.cli import main
from tacita.cli.parser import build_parser
from tacita.privacy.budget import PureDP
from tacita.sequences import PrefixTree

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/**/*.md")])


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


def commands(page):
    text = "\n".join(blocks(page, "sh")).replace("\\\n", " ")
    return [shlex.split(line, comments=True) for line in text.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What the demo writes; nobody changes it."""
    folder = tmp_path_factory.mktemp("shown") / "tacita-demo"
    assert main(["demo", "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def demo(shown, tmp_path, monkeypatch):
    """A copy of the demo's folder to work in."""
    folder = shutil.copytree(shown, tmp_path / "tacita-demo")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file(page):
    for target in re.findall(r"\]\((?!https://)([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_page_is_reachable_from_the_index():
    linked = {ROOT / "docs" / "README.md"}
    waiting = list(linked)
    while waiting:
        page = waiting.pop()
        for target in re.findall(r"\]\(([^)#]+\.md)\)", page.read_text(encoding="utf-8")):
            found = (page.parent / target).resolve()
            if found not in linked:
                linked.add(found)
                waiting.append(found)
    assert set(ROOT.glob("docs/**/*.md")) <= linked


def test_the_navigation_of_the_site_names_every_page():
    named = re.findall(r'"([\w/-]+\.md)"', (ROOT / "zensical.toml").read_text(encoding="utf-8"))
    assert sorted(named) == sorted(path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md"))


def test_the_first_commands_of_the_readme_are_targets_that_set_everything_up():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert commands("README.md")[:2] == [["make", "demo"], ["make", "test"]]
    for target in re.findall(
        r"(?:^|`)make ([a-z-]+)", "".join(page.read_text(encoding="utf-8") for page in PAGES), flags=re.MULTILINE
    ):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
    needs = {"demo": "plain"} | dict.fromkeys(("test", "test-slow", "check", "bench"), "installed")
    for target, need in needs.items():
        assert re.search(rf"^{target}: .venv/.{need}( [a-z]+)* ##", makefile, flags=re.MULTILINE), target


@pytest.mark.usefixtures("demo")
def test_the_commands_of_the_readme_run():
    (inspect, *ours) = [words[1:] for words in commands("README.md") if words[0] == "tacita"]
    assert main(inspect) == 0
    declared = Path("tacita.toml").read_text(encoding="utf-8")  # as the owner confirms it
    confirmed = declared.replace('universe = "?"', 'universe = "stations.csv"').replace('epsilon = "?"', "epsilon = 1")
    Path("tacita.toml").write_text(confirmed, encoding="utf-8")
    assert len(ours) == 11
    assert [main(words) for words in ours if words[0] != "audit"] == [0] * 10
    (audit,) = (words for words in ours if words[0] == "audit")
    build_parser().parse_args(audit)  # an audit takes its time; the tests of the command line run one


@pytest.mark.usefixtures("demo")
def test_the_code_of_the_readme_runs():
    (code,) = blocks("README.md", "python")
    assert main(["ledger", "create", "metro.ledger"]) == 0
    exec(compile(code, "README.md", "exec"), {})
    assert Path("release/manifest.json").exists()


@pytest.mark.slow  # some twenty seconds
@pytest.mark.usefixtures("demo")
def test_the_tutorial_runs_and_its_last_publication_is_refused(capsys):
    ours = [words[1:] for words in commands("docs/tutorials/first-release.md") if words[0] == "tacita"]
    assert [main(words) for words in ours] == [0, 0, 0, 0, 0, 1]
    assert "epsilon 0.5 left of its cap 1.5" in capsys.readouterr().err


@pytest.mark.usefixtures("demo")
def test_the_configuration_of_the_how_to_serves_its_commands(capsys):
    page = "docs/how-to/configure-and-script.md"
    (text,) = blocks(page, "toml")
    Path("tacita.toml").write_text(text, encoding="utf-8")
    ours = [words[1:] for words in commands(page)]
    verbs = ["ledger", "ledger", "explain", "publish", "evaluate", "report", "publish", "explain", "completion"]
    assert [words[0] for words in ours] == verbs
    assert [main(words) for words in ours] == [0] * len(verbs)
    printed = capsys.readouterr().out
    assert "0.5-differential privacy" in printed
    assert "epsilon 0.5 spent of epsilon 3; it would be allowed" in printed
    assert not Path("second").exists()


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("page", "count"), [("forecast-before-spending", 3), ("publish-times", 3), ("report-on-a-release", 3), ("use-a-release", 2)]
)
def test_the_commands_of_a_how_to_run(page, count):
    ours = [words[1:] for words in commands(f"docs/how-to/{page}.md")]
    assert [main(words) for words in ours] == [0] * count


@pytest.mark.slow  # ten seconds
@pytest.mark.usefixtures("demo")
def test_the_code_for_recipients_runs(capsys):
    for code in blocks("docs/how-to/use-a-release.md", "python"):
        exec(compile(code, "use-a-release.md", "exec"), {})
    assert "(95 %)" in capsys.readouterr().out


def test_the_how_to_about_baskets_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = "docs/how-to/publish-baskets.md"
    ours = [words[1:] for words in commands(page)]
    assert [words[0] for words in ours] == ["simulate", "explain", "publish"]
    assert [main(words) for words in ours] == [0] * 3
    assert "use itemset-counts instead of diffpart" in capsys.readouterr().out
    reading, publishing = blocks(page, "python")
    names = {}
    exec(compile(reading, "publish-baskets.md", "exec"), names)
    assert capsys.readouterr().out.endswith("one person's basket\n")
    exec(compile(publishing, "publish-baskets.md", "exec"), names)
    assert names["release"].guarantee.holds


def test_the_how_to_about_hidden_patterns_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = "docs/how-to/hide-patterns.md"
    ours = [words[1:] for words in commands(page)]
    assert [words[0] for words in ours] == ["simulate", "publish", "evaluate", "publish", "publish", "evaluate"]
    assert [main(words) for words in ours] == [0] * 6
    assert (tmp_path / "hidden.html").exists()
    capsys.readouterr()
    publishing, growing = blocks(page, "python")
    names = {}
    exec(compile(publishing, page, "exec"), names)
    assert capsys.readouterr().out.endswith("bounded-belief\n")
    assert names["release"].guarantee.holds
    exec(compile(growing, page, "exec"), names)
    assert capsys.readouterr().out.endswith("bounded-belief\n")
    assert (tmp_path / "plan.csv").exists()


def test_the_how_to_about_tables_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = "docs/how-to/publish-a-table.md"
    ours = [words[1:] for words in commands(page)]
    assert [words[0] for words in ours] == ["simulate", "explain", "publish", "publish", "evaluate", "attack"]
    assert [main(words) for words in ours] == [0] * 6
    assert "people singled out, worst set" in capsys.readouterr().out
    names = {}
    for code in blocks(page, "python"):
        exec(compile(code, "publish-a-table.md", "exec"), names)
    assert names["release"].guarantee.holds
    assert "advantage" in capsys.readouterr().out


def test_the_code_for_tests_runs():
    names = {"method": PrefixTree(height=2), "budget": PureDP("1")}
    names |= {"records": sequence_records(["AB"] * 9), "without_one": sequence_records(["AB"] * 8)}
    for code in blocks("docs/how-to/test-your-code.md", "python"):
        exec(compile(code, "test-your-code.md", "exec"), names)


def test_the_code_about_the_black_box_runs(capsys):
    names = {"noisy_answer": lambda data: data, "data": 1, "data_without_one": 0}
    (code,) = blocks("docs/explanation/what-an-audit-proves.md", "python")
    exec(compile(code, "what-an-audit-proves.md", "exec"), names)
    assert "epsilon is at least" in capsys.readouterr().out


def test_the_glossary_is_in_order():
    words = re.findall(r"^\*\*(.+?)\*\*", (ROOT / "docs/explanation/glossary.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert words == sorted(words)
    assert len(words) > 20
