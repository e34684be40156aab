"""Any mechanism for sets is used from the command line as those for sequences are."""

import json

import jsonschema
import polars as pl
import pytest

from commands import SECRET, listing, misused, publish, refused, run_command, set_cap
from tacita.auditing import Effort
from tacita.cli import main
from tacita.kinds import kind_of, kinds, methods
from tacita.public.universe import Universe
from tacita.schemas import manifest_schema, output_schema
from tacita.sets import read_baskets, read_published_baskets

GRID = ["--time-start", "0", "--time-step", "1", "--time-intervals", "4"]
ITEMS = Universe("ABC")


def publish_sets(shop, *more, name="baskets.csv", method="item-counts", out="out", universe="items.txt"):
    words = ["publish", "sets", str(shop / name), "--method", method, "--out", str(shop / out)]
    words += ["--epsilon", "4"] if "--epsilon" not in more else []
    return main([*words, *(["--universe", str(shop / universe)] if universe else []), *more])


def manifest_of(shop, out="out"):
    manifest = json.loads((shop / out / "manifest.json").read_text(encoding="utf-8"))
    jsonschema.validate(manifest, manifest_schema(), format_checker=jsonschema.FormatChecker())
    return manifest


def test_publish_writes_baskets_and_says_what_it_promises(shop, capsys):
    assert publish_sets(shop) == 0
    printed = capsys.readouterr()
    assert "This release satisfies 4-differential privacy for adding or removing one person's basket." in printed.out
    assert "synthetic baskets, manifest and README are in" in printed.out
    manifest = manifest_of(shop)
    assert (manifest["kind"], manifest["files"][0]["name"]) == ("sets", "baskets.csv")
    assert "an item that a basket held several times was counted once" in manifest["rules"]
    released = read_published_baskets(shop / "out", universe=ITEMS)
    counts = pl.Series(released.to_labels()).explode().value_counts(sort=True)
    assert abs(counts["count"][0] - 300) < 30  # A and B are in every basket once, although B was bought twice


@pytest.mark.usefixtures("terminal")
def test_what_was_dropped_is_told_to_the_terminal_and_to_nothing_else(shop, capsys):
    assert publish_sets(shop, "--json") == 0
    printed = capsys.readouterr()
    told = "for your eyes only: 2 labels outside the universe were dropped; baskets that held nothing else: 1"
    assert told in printed.err
    written = "".join((shop / "out" / name).read_text(encoding="utf-8") for name in ("manifest.json", "README.md"))
    assert SECRET not in printed.err + printed.out + written
    assert "eyes only" not in written + printed.out
    jsonschema.validate(json.loads(printed.out), output_schema("tacita-publish-1"))


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_no_private_figure_reaches_a_log(shop, words):
    """Standard error that is a file is no terminal, and nobody is told what was dropped."""
    arguments = [
        "publish",
        "sets",
        str(shop / "baskets.csv"),
        "--method",
        "histogram",
        "--epsilon",
        "1",
        "--out",
        str(shop / "out"),
    ]
    done = run_command(*arguments, "--universe", str(shop / "items.txt"), *words)
    assert done.returncode == 0
    assert "for your eyes only" not in done.stderr
    assert "dropped" not in done.stderr
    assert not any(sign.isdigit() for sign in done.stderr)


@pytest.mark.parametrize("name", ["baskets.csv", "baskets.parquet", "baskets.dat"])
@pytest.mark.parametrize("file_format", [None, "parquet", "jsonl.gz", "wide", "dat.zst", "seq"])
def test_every_format_comes_in_and_goes_out(shop, name, file_format):
    assert publish_sets(shop, *([] if file_format is None else ["--format", file_format]), name=name) == 0
    assert abs(len(read_published_baskets(shop / "out", universe=ITEMS)) - 600) < 60
    expected = "baskets." + (file_format or name.partition(".")[2]).replace("wide", "lines")
    assert manifest_of(shop)["files"][0]["name"] == expected


def test_the_reading_options_are_followed(shop):
    text = "".join(f"{person};'B, b';x\n{person};A;y\n" for person in range(100))
    (shop / "a.txt").write_text(text, encoding="utf-8")
    (shop / "more.txt").write_text("A\nB, b\n", encoding="utf-8")
    words = ["--input-format", "csv", "--separator", ";", "--quote", "'", "--no-header", "--person", "1", "--label", "2"]
    words += ["--record", "3", "--per-person", "cap=2", "--format", "parquet"]
    assert publish_sets(shop, *words, name="a.txt", universe="more.txt") == 0
    assert "at most 2 of each person" in manifest_of(shop)["guarantee"]["neighbours"]["unit"]
    assert pl.read_parquet(shop / "out" / "baskets.parquet").columns == ["id", "label"]


def test_a_ledger_charges_each_basket_of_a_person_and_refuses_past_the_cap(shop, capsys):
    rows = [{"id": person, "label": "AB"[visit], "visit": visit} for person in range(100) for visit in range(2)]
    pl.DataFrame(rows).write_csv(shop / "visits.csv")
    ledger = str(shop / "owner.ledger")
    set_cap(ledger, "--dataset", "visits", "--epsilon", "9")
    words = ["--record", "visit", "--per-person", "cap=2", "--ledger", ledger]
    assert publish_sets(shop, *words, name="visits.csv") == 0
    assert "spent on 'visits' so far: epsilon 8; the cap is 9" in capsys.readouterr().out
    before = listing(shop)
    refused(publish_sets(shop, *words, name="visits.csv", out="second"), capsys, "epsilon 1 left of its cap 9, 8 was asked")
    assert listing(shop) == before


def test_a_dry_run_promises_what_the_run_then_promises_and_writes_nothing(shop, capsys):
    before = listing(shop)
    assert publish_sets(shop, "--dry-run", "--json", name="none.csv") == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema("tacita-dry-run-1"))
    assert told["time_grid"] is None
    assert listing(shop) == before
    assert publish_sets(shop) == 0
    manifest = manifest_of(shop)
    assert told["guarantee"] == manifest["guarantee"]
    assert told["explanation"]["plan"] == manifest["budget"]["plan"]


def test_explain_forecasts_from_public_facts_which_method_to_use(shop, capsys):
    words = ["explain", "sets", "--method", "item-counts", "--epsilon", "1", "--universe", str(shop / "items.txt")]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("item counts, epsilon = 1")
    assert "needs the number of records: give --records" in printed
    assert main([*words, "--records", "900", "--mean-length", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema("tacita-explain-1"))
    assert told["forecast"]["chosen"]["method"] == "item-counts"
    assert set(told["forecast"]["others"]) >= {"diffpart", "histogram", "itemset-counts"}
    assert "stable-histogram" not in told["forecast"]["others"]
    refused(main([*words, "--records", "9", "--like", "session"]), capsys, "--like says how people go from one label to the next")


def test_an_observed_universe_voids_the_guarantee_of_sets_too(shop, capsys):
    assert publish_sets(shop, "--observed-universe", name="baskets.dat", universe=None) == 0
    assert "NOT PRIVATE" in capsys.readouterr().err
    assert not manifest_of(shop)["guarantee"]["holds"]


def test_a_delta_reaches_methods_that_promise_one(shop, capsys):
    ledger = str(shop / "owner.ledger")
    words = ["--delta", "1e-6", "--ledger", ledger]
    set_cap(ledger, "--dataset", "baskets", "--epsilon", "9", "--delta", "1e-5")
    assert publish_sets(shop, *words, method="item-deltas") == 0
    printed = capsys.readouterr().out
    assert "(4, 0.000001)-differential privacy" in printed
    assert "spent on 'baskets' so far: epsilon 4, delta 0.000001; the cap is 9, delta 0.00001" in printed
    assert manifest_of(shop)["guarantee"]["definition"] == "approximate-dp"
    explained = ["explain", "sets", "--method", "item-deltas", "--epsilon", "1/2", "--delta", "1e-9"]
    assert main(explained) == 0
    assert "delta" in capsys.readouterr().out
    assert publish_sets(shop, *words, "--dry-run", "--json", method="item-deltas", out="second") == 0
    assert json.loads(capsys.readouterr().out)["guarantee"]["delta"] == "0.000001"


@pytest.mark.parametrize(
    ("more", "method", "message"),
    [
        (["--delta", "1e-6"], "item-counts", "item-counts promises pure differential privacy and takes no --delta, got 1e-6"),
        ([], "item-deltas", "item-deltas promises (epsilon, delta)-differential privacy and needs --delta"),
        (["--delta", "0"], "item-deltas", "delta must be above 0, got 0"),
        (["--delta", "nan"], "item-deltas", "delta must be a finite number"),
        (["--delta", "2"], "item-deltas", "delta"),
    ],
)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_delta_that_means_nothing_is_refused(shop, capsys, more, method, message, dry):
    before = listing(shop)
    refused(publish_sets(shop, *more, *dry, method=method), capsys, message)
    assert listing(shop) == before


def test_sequences_take_no_delta_either(files, capsys):
    before = listing(files)
    refused(publish(files, "--delta", "1e-6"), capsys, "prefix-tree promises pure differential privacy and takes no --delta")
    words = ["audit", "prefix-tree", "--height", "2", "--delta", "1e-6"]
    refused(main(words), capsys, "prefix-tree promises pure differential privacy and takes no --delta")
    assert listing(files) == before


def test_several_baskets_of_a_person_have_no_delta(shop, capsys):
    pl.DataFrame({"id": [1, 1], "label": ["A", "B"], "visit": [1, 2]}).write_csv(shop / "visits.csv")
    before = listing(shop)
    words = ["--record", "visit", "--per-person", "cap=2", "--delta", "1e-6"]
    for dry in ([], ["--dry-run"]):
        code = publish_sets(shop, *words, *dry, name="visits.csv", method="item-deltas")
        refused(code, capsys, "several records per person can be charged in epsilon or rho")
    assert listing(shop) == before


def test_a_method_must_be_of_the_kind_that_comes_first(shop, capsys):
    message = "item-counts is a method of sets, not of sequences: type tacita {} sets"
    words = ["--method", "item-counts", "--epsilon", "1"]
    misused(["publish", "sequences", str(shop / "baskets.csv"), *words, "--out", "x"], capsys, message.format("publish"))
    misused(["explain", "sequences", *words], capsys, message.format("explain"))
    refused(main(["audit", "item-counts", "sequences"]), capsys, "item-counts is a method of sets, not of sequences")


TIMES = [["--time", "when"], ["--time-format", "iso"], ["--time-zone", "Europe/London"], GRID[:2], GRID]


@pytest.mark.parametrize("words", TIMES, ids=" ".join)
def test_options_about_times_are_refused_by_name(shop, capsys, words):
    before = listing(shop)
    for command in (["publish", "sets", "x.csv", "--out", "y"], ["explain", "sets"] if words in (GRID, GRID[:2]) else []):
        if command:
            misused([*command, *words], capsys, f"unrecognized arguments: {words[0]}")
    assert listing(shop) == before


def test_a_taxonomy_is_refused_by_a_method_that_has_none(shop, capsys):
    before = listing(shop)
    refused(publish_sets(shop, "--fan-out", "2"), capsys, "item-counts has no taxonomy, so --fan-out would do nothing")
    refused(publish_sets(shop, "--taxonomy", "x.csv"), capsys, "item-counts has no taxonomy, so --taxonomy would do nothing")
    refused(publish_sets(shop, "--max-core", "2"), capsys, "item-counts has no --max-core")
    assert listing(shop) == before


@pytest.mark.usefixtures("shop")
def test_an_audit_of_everything_takes_no_parameters(capsys):
    message = "--all audits every method with built-in parameters"
    refused(main(["audit", "--all", "--input", "x.csv"]), capsys, message)
    refused(main(["audit", "--all", "--delta", "1e-6"]), capsys, message)


SMALL = Effort(data_sets=3, output_runs=200, black_box_runs=200, sampler_draws=1000)


@pytest.mark.usefixtures("few_replays")
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["diffpart", "--fan-out", "2"], marks=pytest.mark.slow),  # ten seconds
        pytest.param(["histogram"], marks=pytest.mark.slow),
        ["stable-histogram", "--delta", "1/100"],
    ],
)
def test_methods_for_sets_are_audited_on_small_data_and_on_a_real_file(shop, capsys, monkeypatch, words):
    monkeypatch.setattr("tacita.auditing.QUICK", SMALL)
    real = ["--input", str(shop / "baskets.csv"), "--universe", str(shop / "items.txt"), "--neighbours", "9"]
    assert main(["audit", *words, "--quick", *real]) == 0
    printed = capsys.readouterr().out
    tests = ["exact replay", "exact replay on real data", "exact replay on real data, row by row", "output", "black box"]
    verdicts = [line for line in printed.splitlines() if line.startswith(("ok   ", "none ", "FAIL "))]
    assert [line[5:].split(": ")[0] for line in verdicts] == [f"{words[0]}, {test}" for test in tests]
    assert all(line.startswith("ok   ") for line in verdicts[:-1])
    assert "FAILED" not in printed  # a black box of few runs may prove nothing
    again = next(line for line in printed.splitlines() if "again: " in line)
    assert all(word in again for word in [*words, "--input", "--neighbours 9", "--quick"])


def test_an_audit_of_everything_gives_each_method_a_budget_in_its_own_definition(capsys, monkeypatch):
    audited = []

    def audit(variant, budget, **_rest):
        audited.append((variant.name.split(",")[0], budget.epsilon, budget.delta > 0))
        return iter([])

    monkeypatch.setattr("tacita.auditing.audit_mechanism", audit)
    for other in ("audit_auditor", "audit_foreign", "audit_verified"):
        monkeypatch.setattr(f"tacita.auditing.{other}", lambda *_given, **_rest: iter([]))
    monkeypatch.setattr("tacita.auditing.side_by_side", lambda parts: (list(part()) for part in parts))
    assert main(["audit", "--all", "--epsilon", "3"]) == 0
    private = [method for method in methods().values() if method.promise.takes_epsilon and kind_of(method).case is not None]
    assert set(audited) == {(method.name, 3, method.promise.takes_delta) for method in private}
    capsys.readouterr()


def test_a_configuration_file_may_hold_kind_and_delta(shop, capsys):
    file, input_file = shop / "shop.toml", shop / "baskets.csv"
    declared = f'method = "item-deltas"\ninput = {str(input_file)!r}\nkind = "sets"\n[budget]\ndelta = 1e-6\nepsilon = 0.5\n'
    file.write_text(declared, encoding="utf-8")
    words = ["publish", "--config", str(file), "--universe", str(shop / "items.txt"), "--out", str(shop / "out")]
    assert main(words) == 0
    assert "(0.5, 0.000001)-differential privacy" in capsys.readouterr().out
    file.write_text(declared.replace('"sets"', '"bags"'), encoding="utf-8")
    refused(main(words), capsys, "got 'bags'")


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_kinds_are_completed(capsys, shell):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "sequences sets" in script
    assert "item-deltas" in script


def evaluate(shop, *more, name="baskets.csv"):
    return main(["evaluate", str(shop / name), str(shop / "out"), "--universe", str(shop / "items.txt"), *more])


@pytest.mark.usefixtures("terminal")
def test_a_release_of_sets_is_compared_as_sets(shop, capsys):
    assert publish_sets(shop, "--format", "dat.gz") == 0
    capsys.readouterr()
    assert evaluate(shop) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("for the owner's eyes only")
    assert "itemset" in printed.out
    assert "2 labels outside the universe were dropped" in printed.err
    assert SECRET not in printed.out + printed.err
    assert evaluate(shop, "--json", "--out", str(shop / "figures.json")) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, output_schema(told["schema"]))
    assert told["schema"] == "tacita-evaluate-sets-1"
    assert told["sets"]["records"]["raw"] == 300
    assert told == json.loads((shop / "figures.json").read_text(encoding="utf-8"))


def test_evaluate_refuses_what_a_release_of_sets_does_not_have(shop, capsys):
    assert publish_sets(shop) == 0
    before = listing(shop)
    capsys.readouterr()
    words = ["evaluate", str(shop / "baskets.csv"), str(shop / "out"), "--time", "when"]
    misused(words, capsys, "unrecognized arguments: --time when")
    misused(["report", *words[1:]], capsys, "unrecognized arguments: --time when")
    refused(main([*words[:2], str(shop / "nowhere"), *words[3:]]), capsys, "nowhere")
    refused(evaluate(shop, "--strict"), capsys, "must belong to the universe, but some do not")
    refused(evaluate(shop, name="none.csv"), capsys, "does not exist")
    manifest = manifest_of(shop) | {"kind": "clouds"}
    (shop / "out" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    refused(evaluate(shop), capsys, "its manifest says clouds")
    assert [name for name, _ in listing(shop)] == [name for name, _ in before]


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
@pytest.mark.parametrize(("world", "file"), [("baskets", "sets"), ("stm", "sequences")])
def test_simulated_worlds_are_read_and_published_as_sets(shop, world, file, file_format):
    folder = shop / "world"
    assert main(["simulate", world, "--records", "200", "--out", str(folder), "--format", file_format]) == 0
    path = folder / f"{file}.{file_format}"
    records = read_baskets(path, universe=Universe.read(folder / "universe.txt"), strict=True)
    assert len(records.baskets) == 200
    name = str(path.relative_to(shop))
    assert publish_sets(shop, "--strict", name=name, universe="world/universe.txt") == 0
    assert manifest_of(shop)["files"][0]["name"] == f"baskets.{file_format}"


def test_the_kinds_of_the_registry_are_those_of_a_manifest():
    assert set(kinds()) >= {method.kind for method in methods().values()}


def test_a_full_disk_leaves_nothing(shop, capsys, monkeypatch):
    def fail(*_, **__):
        message = "No space left on device"
        raise OSError(28, message)

    before = listing(shop)
    monkeypatch.setattr("tacita.sets.published.write_named", fail)
    assert publish_sets(shop) == 1
    assert "No space left on device; nothing was left there" in capsys.readouterr().err
    assert listing(shop) == before


def test_an_interrupted_run_leaves_nothing(shop, capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    before = listing(shop)
    monkeypatch.setattr("tacita.sets.published.write_named", stop)
    assert publish_sets(shop) == 130
    assert capsys.readouterr().err.endswith("tacita: interrupted\n")
    assert listing(shop) == before
