"""Release folders, ledgers and journals as a stranger may send them: cut, flipped, retyped, nested, linked elsewhere.

A case is a function of its number alone, so that one that fails can be looked at again.
"""

import json
import os
import random
import shutil
from pathlib import Path

from forging import fit, rewrite
from tacita.privacy.ledger.entries import packed

ODD = [
    None,
    True,
    -1,
    0,
    10**30,
    1.5,
    "",
    "x" * 300,
    "1/0",
    "0/0",
    "9" * 5000,
    [],
    {},
    [[]],
    {"a": []},
    "\x00",
    "../../etc/passwd",
    "é",
]
TARGETS = ("/dev/zero", "/dev/null", "/nowhere", ".")


def spoiled_folder(release: Path, target: Path, number: int) -> str:
    """A copy of a release that was spoiled in one way, or in two; what was done, in words."""
    shutil.copytree(release, target)
    chance = random.Random(number)
    done = [_spoil(target, chance)]
    if chance.random() < 0.3:
        done.append(_spoil(target, chance))
    return f"case {number}: {', '.join(done)}"


def _spoil(folder: Path, chance: random.Random) -> str:
    if not all(path.is_file() and not path.is_symlink() for path in folder.iterdir()) or not (folder / "manifest.json").exists():
        return "nothing more"  # what comes next would wait for a pipe, or write to a device
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
    except (ValueError, RecursionError):
        return "nothing more"
    ways = [_bytes_of_a_file, _bytes_that_fit, _value_of_the_manifest, _value_of_the_manifest, _json_beside, _link, _deep]
    return chance.choice(ways)(folder, manifest, chance)


def _file(folder, chance):
    return chance.choice(sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink()))


def _bytes_of_a_file(folder, _manifest, chance):
    path = _file(folder, chance)
    path.write_bytes(spoiled_bytes(path.read_bytes(), chance))
    return f"bytes of {path.name}"


def _bytes_that_fit(folder, manifest, chance):
    """The bytes of a described file are spoiled, and described as they are now."""
    try:
        described = chance.choice(manifest["files"])
        path = folder / described["name"]
        if not path.is_file():
            return "nothing"
        path.write_bytes(spoiled_bytes(path.read_bytes(), chance))
        fit(described, path)
        rewrite(folder, manifest)
    except (KeyError, TypeError, OSError, ValueError, AttributeError, StopIteration, IndexError):
        return "nothing"
    return f"bytes of {path.name}, which fit"


def spoiled_bytes(data: bytes, chance: random.Random) -> bytes:  # noqa: PLR0911 - one way each
    """Cut, flipped, doubled, or with something put in."""
    place = chance.randrange(len(data) + 1)
    match chance.randrange(7):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]
        case 2:
            return data[:place] + chance.randbytes(chance.randrange(1, 40)) + data[place:]
        case 3:
            return data + data
        case 4:
            return b""
        case 5:
            return data.replace(b",", chance.choice([b";", b"\0", b"\n", b""]), chance.randrange(1, 9))
        case _:
            lines = data.split(b"\n")
            chance.shuffle(lines)
            return b"\n".join(lines)


def _value_of_the_manifest(folder, manifest, chance):
    """A value is replaced, removed or moved; documents are made to fit where that is possible."""
    where = spoiled_value(manifest, chance)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    try:
        rewrite(folder, manifest)
    except Exception:  # noqa: BLE001 - the documents of such a manifest cannot be rendered
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return f"the manifest's {where}"


def spoiled_value(tree, chance: random.Random) -> str:
    """Spoil one value somewhere in a document, in place; where it was."""
    where, part = [], tree
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        if not keys:
            return "nothing"
        key = chance.choice(keys)
        where.append(str(key))
        if isinstance(part[key], dict | list) and part[key] and chance.random() < 0.85:
            part = part[key]
            continue
        match chance.randrange(4):
            case 0:
                del part[key]
            case 1 if isinstance(part[key], str):
                part[key] = part[key][: chance.randrange(len(part[key]) + 1)] + chance.choice(["", "0", "é", " ", "/0", "e9"])
            case _:
                part[key] = chance.choice(ODD)
        return ".".join(where)


def _json_beside(folder, manifest, chance):
    """A value of a document beside the data is spoiled, and the document described as it is now."""
    beside = [path for path in sorted(folder.glob("*.json")) if path.name != "manifest.json" and path.is_file()]
    if not beside:
        return "nothing"
    path = chance.choice(beside)
    try:
        document = json.loads(path.read_bytes())
        where = spoiled_value(document, chance)
        path.write_text(json.dumps(document), encoding="utf-8")
        for described in manifest["files"]:
            if described["name"] == path.name:
                fit(described, path)
        rewrite(folder, manifest)
    except (KeyError, TypeError, OSError, ValueError, AttributeError, StopIteration, IndexError):
        return "nothing"
    return f"{path.name}'s {where}"


def _link(folder, _manifest, chance):
    """A file becomes a link to a device, to nothing, or to a folder; or a pipe, or a folder."""
    path = _file(folder, chance)
    path.unlink()
    match chance.randrange(6):
        case 0:
            os.mkfifo(path)
        case 1:
            path.mkdir()
        case place:
            path.symlink_to(TARGETS[place - 2])
    return f"{path.name} as something else"


def _deep(folder, manifest, chance):
    depth = chance.choice([150, 900, 100_000])
    nested = chance.choice(["[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth, "[" * depth])
    if chance.random() < 0.5:
        (folder / "manifest.json").write_text(nested, encoding="utf-8")
    else:
        manifest = json.dumps({**manifest, "rules": "HERE"}).replace('"HERE"', nested)
        (folder / "manifest.json").write_text(manifest, encoding="utf-8")
    return f"JSON {depth} deep"


def spoiled_log(log: Path, target: Path, number: int) -> str:
    """A ledger or a journal that was spoiled; half of the time its chain of digests fits again."""
    chance = random.Random(number)
    data = log.read_bytes()
    match chance.randrange(4):
        case 0:
            target.write_bytes(spoiled_bytes(data, chance))
            return f"case {number}: bytes"
        case 1 if chance.random() < 0.4:
            if chance.random() < 0.5:
                os.mkfifo(target)
            else:
                target.symlink_to(chance.choice(TARGETS))
            return f"case {number}: no regular file"
        case _:
            payloads = [json.loads(line) for line in data.split(b"\n") if line.strip(b"\0")]
            for payload in payloads:
                for name in ("n", "more", "digest"):
                    payload.pop(name, None)
            where = spoiled_value(payloads, chance)
            target.write_bytes(packed([payload if isinstance(payload, dict) else {"kind": payload} for payload in payloads])[0])
            return f"case {number}: {where}"


def spoiled_state(folder: Path, number: int) -> str:
    """One file that a stream keeps or releases is spoiled, in place: its journal, its ledger, their marks, its output."""
    chance = random.Random(number)
    kept = [folder / "state.ledger", *folder.glob("state.ledger.*"), *(folder / "state").iterdir(), *(folder / "out").iterdir()]
    path = chance.choice(sorted(kept))
    data = path.read_bytes()
    path.unlink()
    match chance.randrange(6):
        case 0:
            os.mkfifo(path)
        case 1:
            path.symlink_to(chance.choice(TARGETS))
        case 2 if path.suffix in {".journal", ".ledger"}:
            copy = path.with_name("copy")
            copy.write_bytes(data)
            spoiled_log(copy, path, number)
            copy.unlink()
        case 3:
            path.write_bytes(b"[" * chance.choice([150, 100_000]))
        case 4:
            path.mkdir()
        case _:
            path.write_bytes(spoiled_bytes(data, chance))
    return f"case {number}: {path.relative_to(folder)}"
