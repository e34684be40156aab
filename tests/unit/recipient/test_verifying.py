"""A recipient notices whatever is wrong with a release folder, from the folder alone."""

import copy
import json

import jsonschema
import pytest

from released import release_of
from tacita.cli import main
from tacita.errors import InputError
from tacita.kinds import kind_named
from tacita.schemas import manifest_schema, output_schema, violations
from tacita.verifying import verify

FILES = "every file is there, unchanged, and no other"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return release_of("streams", tmp_path_factory.mktemp("streams"))[1]


@pytest.fixture
def folder(made, tmp_path):
    copied = tmp_path / "release"
    copied.mkdir()
    for file in made.iterdir():
        (copied / file.name).write_bytes(file.read_bytes())
    return copied


def failed(folder):
    return {finding.check: finding.found for finding in verify(folder) if not finding.passed}


def change(folder, *path, to):
    """Change one value of the manifest."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    part = manifest
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = to
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize("name", ["tables", "streams", "trajectories", "personal"])
def test_a_release_as_it_was_written_passes_every_check(name, tmp_path):
    folder = release_of(name, tmp_path)[1]
    assert failed(folder) == {}
    kind = kind_named(name)
    assert (folder / "README.md").read_text(encoding="utf-8").startswith(f"# A release of {kind.whole or kind.name}\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sequences", "timed", "sets", "networks"])
def test_a_release_of_every_other_kind_passes_too(name, tmp_path):
    assert failed(release_of(name, tmp_path)[1]) == {}


def test_a_readme_that_calls_the_release_something_else_and_a_missing_croissant_file_are_noticed(folder):
    readme = folder / "README.md"
    page = readme.read_text(encoding="utf-8")
    readme.write_text(page.replace("# A release of a stream", "# A release of baskets"), encoding="utf-8")
    (folder / "croissant.json").unlink()
    assert "README.md differs; croissant.json is missing" in str(failed(folder))


def test_a_changed_byte_a_missing_and_a_foreign_file_are_noticed(folder):
    data = folder / "stream.csv"
    data.write_bytes(data.read_bytes().replace(b"0", b"1", 1))
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    (folder / "universe.json").unlink()
    found = failed(folder)[FILES]
    assert "stream.csv was changed" in found
    assert "universe.json is missing" in found
    assert "notes.txt is no part of the release" in found


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (("guarantee", "epsilon"), "0.1", "costs more than the guarantee promises"),
        (("guarantee", "statement"), "This release satisfies 0.1-differential privacy.", "the guarantee's statement"),
        (("guarantee", "voids"), ["a seed"], "although something voids it"),
        (("guarantee", "definition"), "syntactic", "the evidence is not that of the definition"),
        (("budget", "draws", 0, "epsilon"), "3", "costs more than its step"),
        (("budget", "draws", 0, "noise"), "discrete Laplace, scale 0.5, in all 65 cells", "too small for its epsilon"),
        (("budget", "plan", "epsilon"), "2", "costs more than the guarantee promises"),
        (("mechanism", "name"), "pace", "other parameters"),
        (("mechanism", "name"), "mondrian", "mondrian is for tables, not for streams"),
    ],
)
def test_a_promise_that_does_not_follow_from_the_rest_of_the_manifest_is_noticed(path, to, message, folder):
    change(folder, *path, to=to)
    assert message in str(failed(folder))


def test_what_nobody_can_see_from_the_folder_is_listed(folder, tmp_path):
    unseen = verify(folder).not_checked
    assert "that the noise was drawn, and from a secure source" in unseen
    assert "that this is the owner's release (give the ledger, or the owner's public key)" in unseen
    printed = str(verify(release_of("tables", tmp_path / "tables")[1]))
    assert "draw" not in printed  # nothing was drawn, so nothing is said about draws
    assert "not checked: that what is shown is true" in printed


def test_a_method_that_no_package_has_is_listed_as_not_checked(folder):
    change(folder, "mechanism", "name", to="of another package")
    assert "plan, noise and promise: no installed package has the method 'of another package'" in verify(folder).not_checked


def test_documents_that_say_something_else_are_noticed(folder):
    (folder / "README.md").write_text("Nothing was promised.", encoding="utf-8")
    croissant = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    croissant["description"] = "public data"
    (folder / "croissant.json").write_text(json.dumps(croissant), encoding="utf-8")
    assert failed(folder) == {
        "README.md and croissant.json say what the manifest says": "README.md differs; croissant.json differs"
    }


def test_the_command_prints_every_check_and_fails_if_one_does(folder, capsys):
    assert main(["verify", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert (printed.count("ok  "), printed.count("FAIL"), printed.count("not checked: ")) == (9, 0, 2)
    (folder / "stream.csv").write_text("", encoding="utf-8")
    assert main(["verify", str(folder), "--json"]) == 1
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    jsonschema.validate(found, output_schema("tacita-verify-1"))
    assert not found["passed"]
    assert "is not what it says" in printed.err
    with pytest.raises(InputError, match="readable manifest"):
        verify(folder / "nowhere")


def test_our_check_of_a_schema_agrees_with_the_reference_implementation(made):
    manifest, schema = json.loads((made / "manifest.json").read_text(encoding="utf-8")), manifest_schema()
    reference = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    changed = [manifest]
    for name in manifest:
        changed += [{**manifest, name: value} for value in (None, 3, "x", [], {}, True)]
        changed.append({key: part for key, part in manifest.items() if key != name})
    for path in (("guarantee", "holds"), ("budget", "plan"), ("files", 0), ("public_inputs", "universe")):
        other = copy.deepcopy(manifest)
        other[path[0]][path[1]] = {"name": 3}
        changed.append(other)
    changed.append({**manifest, "something": 1})
    verdicts = [(not violations(each, schema), reference.is_valid(each)) for each in changed]
    assert all(ours == theirs for ours, theirs in verdicts)
    assert {ours for ours, _ in verdicts} == {True, False}
