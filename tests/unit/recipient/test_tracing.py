"""A release can be traced: its digest is in the ledger before the folder appears, and its owner may sign it."""

import json
import shutil

import pytest

from forging import forged, with_data
from small_kinds import SMALL
from tacita.cli import main
from tacita.errors import InputError, OutputError, ParameterError
from tacita.privacy import release as releases
from tacita.privacy.ledger import EntryKind, Ledger
from tacita.privacy.release import SignatureKey, new_key, release_digest
from tacita.verifying import verify

CHARGED, SIGNED = "the ledger charged this folder, or noted it", "the owner signed this folder"


@pytest.fixture(scope="module", params=["sets", "tables"])
def made(request, tmp_path_factory):
    """A release, the ledger that knows it, and a pair of keys."""
    folder = tmp_path_factory.mktemp(request.param)
    Ledger.create(folder / "a.ledger")
    new_key(folder / "a.key")
    words = [*SMALL[request.param].lay_out(folder), "--ledger", str(folder / "a.ledger"), "--key", str(folder / "a.key")]
    assert main(words) == 0
    return folder


def failed(folder, made):
    found = verify(folder, ledger=made / "a.ledger", key=made / "a.key.pub")
    assert not any("owner's release" in what for what in found.not_checked)
    return {finding.check: finding.found for finding in found.failed}


def test_a_folder_passes_by_its_ledger_and_by_the_key_of_its_owner(made):
    assert failed(made / "out", made) == {}
    noted = [entry for entry in Ledger(made / "a.ledger").history() if entry.kind is EntryKind.RELEASE]
    manifest = json.loads((made / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert [entry.note for entry in noted] == [release_digest(made / "out", manifest)]
    assert noted[0].charge == manifest.get("ledger", {}).get("charge", "")


def test_an_edit_that_fits_the_manifest_is_refused_by_ledger_and_key(made, tmp_path):
    rows = with_data(made / "out", tmp_path / "rows", lambda data: data + data[data.rindex(b"\n", 0, -1) + 1 :])
    rules = forged(made / "out", tmp_path / "rules", lambda manifest: manifest["rules"].append("nothing was dropped"))
    for folder in (rows, rules):
        found = failed(folder, made)
        assert "no release with this digest" in found[CHARGED]
        assert "another folder" in found[SIGNED]


def test_a_signature_by_another_key_of_another_folder_or_none_is_refused(made, tmp_path):
    new_key(tmp_path / "other.key")
    assert "not made with the key" in str(verify(made / "out", key=tmp_path / "other.key.pub").failed)
    bare = shutil.copytree(made / "out", tmp_path / "bare")
    (bare / "release.sig").unlink()
    assert "holds no signature" in failed(bare, made)[SIGNED]
    (bare / "release.sig").write_text('{"digest": 3}', encoding="utf-8")
    assert "damaged" in failed(bare, made)[SIGNED]
    assert CHARGED not in failed(bare, made)


def test_a_manifest_that_names_another_charge_is_refused(tmp_path):
    Ledger.create(tmp_path / "a.ledger")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert main([*SMALL["sets"].lay_out(tmp_path / name), "--ledger", str(tmp_path / "a.ledger")]) == 0
    first, second = tmp_path / "one" / "out", tmp_path / "two" / "out"
    charge = json.loads((second / "manifest.json").read_text(encoding="utf-8"))["ledger"]["charge"]
    swapped = forged(first, tmp_path / "swapped", lambda manifest: manifest["ledger"].update(charge=charge))
    assert verify(first, ledger=tmp_path / "a.ledger").passed
    assert "no release with this digest" in str(verify(swapped, ledger=tmp_path / "a.ledger").failed)
    manifest = json.loads((swapped / "manifest.json").read_text(encoding="utf-8"))
    own = Ledger(tmp_path / "a.ledger")
    own.note_release("raw", release_digest(swapped, manifest), charge="0" * 32)
    assert "under another charge" in str(verify(swapped, ledger=tmp_path / "a.ledger").failed)


def test_the_digest_is_in_the_ledger_before_the_folder_appears(tmp_path, monkeypatch):
    Ledger.create(tmp_path / "a.ledger")
    seen = []
    before = Ledger.note_release

    def looking(self, dataset, digest, *, charge=""):
        drafts = [path for path in tmp_path.iterdir() if path.name.endswith(".complete")]
        seen.append(((tmp_path / "out").exists(), sorted(path.name for path in drafts[0].iterdir())))
        return before(self, dataset, digest, charge=charge)

    monkeypatch.setattr(Ledger, "note_release", looking)
    assert main([*SMALL["sets"].lay_out(tmp_path), "--ledger", str(tmp_path / "a.ledger")]) == 0
    assert seen == [(False, sorted(path.name for path in (tmp_path / "out").iterdir()))]
    assert releases.CROISSANT_FILE in seen[0][1]


def test_keys_are_made_once_and_read_only_if_nobody_else_can_read_them(tmp_path, capsys):
    key = tmp_path / "a.key"
    assert main(["ledger", "key", str(key)]) == 0
    assert "stays with you" in capsys.readouterr().out
    assert (key.stat().st_mode & 0o777, (tmp_path / "a.key.pub").exists()) == (0o600, True)
    with pytest.raises(OutputError, match="must not exist yet"):
        new_key(key)
    with pytest.raises(InputError, match="damaged"):
        SignatureKey.read(_private(tmp_path / "empty.key", b""))
    key.chmod(0o640)
    with pytest.raises(ParameterError, match="chmod 600"):
        SignatureKey.read(key)


def _private(path, data):
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def test_a_key_that_cannot_be_used_stops_a_publication_before_anything_is_spent(tmp_path):
    Ledger.create(tmp_path / "a.ledger")
    words = [*SMALL["sets"].lay_out(tmp_path), "--ledger", str(tmp_path / "a.ledger"), "--key", str(tmp_path / "none.key")]
    assert main(words) == 1
    assert Ledger(tmp_path / "a.ledger").history() == []
