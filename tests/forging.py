"""Release folders that were changed by somebody who knows the format: documents and hashes are made to fit again."""

import hashlib
import json
import shutil
from pathlib import Path

from tacita.kinds import kinds
from tacita.privacy.described import croissant_of, readme_of


def forged(release, target, change):
    """A copy of a release whose manifest was changed; README.md and croissant.json say the same as the new manifest."""
    shutil.copytree(release, target)
    manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
    change(manifest)
    rewrite(target, manifest)
    return target


def with_data(release, target, edit, *, file=None):
    """A copy of a release with an edited data file, given and returned as bytes, whose hashes were made to fit."""
    shutil.copytree(release, target)
    manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
    described = next(each for each in manifest["files"] if (each["role"] == "data" if file is None else each["name"] == file))
    path = target / described["name"]
    path.write_bytes(edit(path.read_bytes()))
    fit(described, path)
    rewrite(target, manifest)
    return target


def fit(described, path: Path):
    """Describe a file as it is now."""
    described["bytes"] = path.stat().st_size
    described["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()


def rewrite(folder, manifest):
    """Write a manifest, and the documents that are rendered from it."""
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    kind = kinds()[manifest["kind"]]
    (folder / "README.md").write_text(readme_of(manifest, whole=kind.whole or kind.name), encoding="utf-8")
    before = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    kept = {name: before[name] for name in ("@context", "recordSet") if name in before}
    croissant = json.dumps({**croissant_of(manifest, {}), **kept}, indent=1, ensure_ascii=False)
    (folder / "croissant.json").write_text(croissant + "\n", encoding="utf-8")
