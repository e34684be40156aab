"""Releases: the data, what it promises, and how it was made, as an object and as a folder.

The manifest holds public and noisy facts only. It is written by code from the guarantee, the plan and the draws of the account,
so it always agrees with what was done; `README.md` and `croissant.json` are rendered from it (`described`). A folder appears
complete or not at all.

Releases can be traced by the digest of their folder, which a ledger notes, and a signature over it. The digest covers every file
of a release but the signature: the manifest and the documents beside it by their bytes, data files by the hashes that the
manifest states, since Spark's workers may write these elsewhere. Anyone who compares it has compared the files with the manifest
before.

A signature is Ed25519, by the library `cryptography`, which is an extra. `release.sig` is detached: it holds the digest and the
signature, and no other file names it.

Reference: Josefsson and Liusvaara, Edwards-Curve Digital Signature Algorithm, RFC 8032, 2017.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tacita.errors import InputError, MissingExtraError, OutputError, ParameterError
from tacita.gate import read_document, read_json, told
from tacita.pictures import notebook
from tacita.pictures.picture import html_facts
from tacita.privacy.account import Account
from tacita.privacy.budget import plan_as_json
from tacita.privacy.described import CROISSANT_FILE, croissant_of, readme_of
from tacita.privacy.drafts import Place, reserved
from tacita.privacy.guarantee import Guarantee
from tacita.public.inputs import PublicInputs

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = [
    "DOCUMENTS",
    "MANIFEST_SCHEMA",
    "SIGNATURE_FILE",
    "Payload",
    "Release",
    "SignatureKey",
    "manifest_of",
    "new_key",
    "release_digest",
    "require_new_folder",
    "require_signed",
    "write_signature",
]

MANIFEST_SCHEMA = "tacita-manifest-1"
SHOWN = 2
"""How many pictures of the data a notebook shows."""


class Payload(Protocol):
    """Released data that can write itself."""

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest; a payload may say in `whole` how to call it in a sentence."""
        ...

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write the data into the folder and return the path of its main file; other files there belong to the release too."""
        ...


Data_co = TypeVar("Data_co", bound=Payload, covariant=True)


@dataclass(frozen=True, kw_only=True, repr=False)
class Release(Generic[Data_co]):
    """Published data with its guarantee and its manifest; nothing else may be handed out."""

    data: Data_co
    guarantee: Guarantee
    manifest: Mapping[str, object]
    read_as: Mapping[str, object] = field(default_factory=dict, compare=False)
    """How the private data was read, such as the names of its columns, for the owner who evaluates the release; never written."""
    traced: Callable[[str], bool] | None = field(default=None, compare=False)
    """Notes the digest of the folder in the ledger that charged the release, and says whether that lasts; called once its draft
    is complete and synced."""

    def to_polars(self) -> pl.DataFrame:
        """The published data as a Polars frame."""
        found: pl.DataFrame = self._framed().to_polars()
        return found

    def to_pandas(self) -> pd.DataFrame:
        """The published data as a pandas frame; pandas must be installed."""
        found: pd.DataFrame = self._framed().to_pandas()
        return found

    def to_spark(self, session: Any = None) -> Any:  # noqa: ANN401 - a data frame of Spark
        """The published data as a data frame of Spark, whose workers make it."""
        if not hasattr(self.data, "to_spark"):
            message = f"published {self.data.kind} cannot be turned into a data frame of Spark; read the files of the release"
            raise OutputError(message)
        return self.data.to_spark(session)

    def to_arrow(self) -> Any:  # noqa: ANN401 - a table of PyArrow
        """The published data as a PyArrow table; PyArrow must be installed."""
        return self._framed().to_arrow()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule interface."""
        found: object = self._framed().__arrow_c_stream__(requested_schema)
        return found

    def _framed(self) -> Any:  # noqa: ANN401 - data that knows its rows
        if not hasattr(self.data, "to_polars"):
            message = f"published {self.data.kind} cannot be turned into a data frame; read the files of the release"
            raise OutputError(message)
        return self.data

    def __repr__(self) -> str:
        """The kind, the method and its guarantee."""
        mechanism: Any = self.manifest["mechanism"]
        return f"Release({self.data.kind} by {mechanism['name']}: {self.guarantee.statement()})"

    @property
    def _whole(self) -> str:
        return str(getattr(self.data, "whole", self.data.kind))

    def _repr_html_(self) -> str:
        """The public facts, for a notebook."""
        mechanism: Any = self.manifest["mechanism"]
        parameters = ", ".join(f"{name} {value}" for name, value in mechanism["parameters"].items() if value is not None)
        facts = html_facts(
            f"A release of {self._whole}",
            [
                ("guarantee", self.guarantee.statement()),
                ("method", f"{mechanism['name']} ({parameters})"),
                ("noise source", self.manifest.get("noise_source")),
                *((f"rule {place}", rule) for place, rule in enumerate(self.manifest["rules"], start=1)),  # type: ignore[arg-type,var-annotated] # a list of strings
            ],
        )
        budget: Any = self.manifest.get("budget")
        from tacita.privacy.pictures import plan_picture  # noqa: PLC0415 - a publication draws nothing

        spent = [] if budget is None else [plan_picture(budget["plan"])]
        drawn = self.data.pictures()[:SHOWN] if hasattr(self.data, "pictures") else []
        return notebook([*spent, *drawn], before=facts)

    def write(
        self,
        folder: str | Path,
        *,
        file_format: str | None = None,
        spark_folder: str | None = None,
        key: SignatureKey | str | Path | None = None,
        place: Place | None = None,
    ) -> Path:
        """Write data, `manifest.json`, `README.md` and `croissant.json` into a new folder; all of it or nothing.

        The digest of the folder enters the ledger that charged the release before the folder appears. With a `key`, as
        `tacita ledger key` makes one, the folder is signed. A `place` is one that was reserved before the release was made.

        With a `spark_folder`, such as `hdfs:///releases/taps`, the workers of Spark write the data there, as a folder of files;
        once that is beside the manifest, it is a release like any other.
        """
        folder = require_new_folder(folder) if place is None else place.name
        key = SignatureKey.read(key) if isinstance(key, str | Path) else key
        with reserved(folder) if place is None else nullcontext(place) as mine:
            self._fill(mine, file_format=file_format, spark_folder=spark_folder, key=key)
        return folder

    def _fill(self, place: Place, *, file_format: str | None, spark_folder: str | None, key: SignatureKey | None) -> None:
        """Write everything into a draft, sign it if that is asked for, note its digest, and let it appear."""
        with place.filled() as draft:
            if spark_folder is None:
                data_file = self.data.write(draft, file_format=file_format)
                fields = self.data.fields(data_file) if hasattr(self.data, "fields") else {}
                self._describe_all(draft, [_describe(data_file, role="data")], fields)
            else:
                self._describe_all(draft, self._written_by_spark(draft, spark_folder, file_format), {})
            manifest: Any = read_json(draft / "manifest.json", what="the manifest")
            digest = release_digest(draft, manifest)
            if key is not None:
                write_signature(draft, digest, key)
                _sync(draft / SIGNATURE_FILE)
        place.appear(None if self.traced is None else partial(self.traced, digest))

    def _written_by_spark(self, draft: Path, spark_folder: str, file_format: str | None) -> list[dict[str, object]]:
        if not hasattr(self.data, "write_by_spark"):
            message = f"published {self.data.kind} cannot be written by Spark; leave the folder of Spark out"
            raise OutputError(message)
        described: list[dict[str, object]] = self.data.write_by_spark(draft, spark_folder, file_format=file_format)
        return described

    def _describe_all(self, draft: Path, data: list[dict[str, object]], fields: Mapping[str, str]) -> None:
        named = {file["name"] for file in data}
        others = sorted(file for file in draft.iterdir() if file.name not in named)
        manifest = {**self.manifest, "files": [*data, *(_describe(file, role=file.stem) for file in others)]}
        (draft / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        (draft / "README.md").write_text(readme_of(manifest, whole=self._whole), encoding="utf-8")
        croissant = json.dumps(croissant_of(manifest, fields), indent=1, ensure_ascii=False)
        (draft / CROISSANT_FILE).write_text(croissant + "\n", encoding="utf-8")
        for file in draft.iterdir():
            _sync(file)


def require_new_folder(folder: str | Path) -> Path:
    """Return the folder's path if it can be created: it does not exist yet, and its parent does."""
    folder = Path(folder).absolute()
    if folder.exists() or folder.is_symlink():
        message = f"the output folder {str(folder)!r} must not exist yet; choose another one or remove it"
        raise OutputError(message)
    if not folder.parent.is_dir() or not os.access(folder.parent, os.W_OK):
        message = f"the output folder {str(folder)!r} cannot be created: {str(folder.parent)!r} must be a writable folder"
        raise OutputError(message)
    return folder


def manifest_of(  # noqa: PLR0913 - the parts of a manifest
    *,
    kind: str,
    mechanism: str,
    parameters: Mapping[str, object],
    asked: Mapping[str, object] | None = None,
    guarantee: Guarantee,
    account: Account | None,
    public: PublicInputs,
    rules: tuple[str, ...],
) -> dict[str, object]:
    """Everything that the recipient of a release may know; the list of files is added when it is written.

    If there is an account, the manifest also says what was spent, where the noise came from, and which charge it was.
    """
    manifest: dict[str, object] = {
        "schema": MANIFEST_SCHEMA,
        "tacita": _version(),
        "created": datetime.now(UTC).date().isoformat(),
        "kind": kind,
        "mechanism": {"name": mechanism, "parameters": dict(parameters)} | ({"asked": dict(asked)} if asked else {}),
        "guarantee": guarantee.as_json(),
        "public_inputs": public.as_json(),
        "rules": list(rules),
    }
    if account is not None:
        manifest["budget"] = {"plan": plan_as_json(account.plan), "draws": [draw.as_json() for draw in account.reported]}
        manifest["noise_source"] = account.noise_source
        manifest["ledger"] = {"kept_in": account.ledger_kind, "charge": account.charge_id}
    return manifest


@cache
def _version() -> str:
    return version("tacita")


def _describe(file: Path, *, role: str) -> dict[str, object]:
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"name": file.name, "role": role, "bytes": file.stat().st_size, "sha256": digest}


def _sync(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


DOCUMENTS = ("manifest.json", "README.md", "croissant.json")
SIGNATURE_FILE = "release.sig"
"""Digest and signature over all other files, if the owner signs."""

_SCHEMA = "tacita-signature-1"
_LARGEST_KEY = 2**14
_EXTRA = "signatures need the library cryptography; install it with: pip install 'tacita[sign]'"


def release_digest(folder: Path, manifest: Mapping[str, Any]) -> str:
    """The digest of a release folder, as hexadecimal digits: one line per file, in the order of their names."""
    held = {name: hashlib.sha256(read_document(folder / name, what="the file")).hexdigest() for name in DOCUMENTS}
    held |= {str(file["name"]): str(file["sha256"]) for file in manifest["files"]}
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(held.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


@dataclass(frozen=True)
class SignatureKey:
    """The owner's private key, read before anything is spent."""

    _key: Any

    @classmethod
    def read(cls, path: str | Path) -> SignatureKey:
        """The key in a file that nobody else may read."""
        try:
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - an extra
            from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415
        except ImportError:
            raise MissingExtraError(_EXTRA) from None
        data = read_document(Path(path), what="the key", limit=_LARGEST_KEY)
        if os.name == "posix" and Path(path).stat().st_mode & 0o077:
            message = f"the key {str(path)!r} must be readable by its owner alone; type chmod 600 {path}"
            raise ParameterError(message)
        with told(f"the key {str(path)!r}"):
            key = load_pem_private_key(data, password=None)
        if not isinstance(key, Ed25519PrivateKey):
            message = f"the key {str(path)!r} must be a private key of Ed25519, as `tacita ledger key` makes one"
            raise InputError(message)
        return cls(key)

    def sign(self, digest: str) -> bytes:
        """The signature of a digest."""
        signature: bytes = self._key.sign(_message(digest))
        return signature


def new_key(path: str | Path) -> tuple[Path, Path]:
    """Make a pair of keys: the private one, which its owner alone may read, and the public one beside it, `.pub`."""
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
            Encoding,
            NoEncryption,
            PrivateFormat,
            PublicFormat,
        )
    except ImportError:
        raise MissingExtraError(_EXTRA) from None
    private, public, key = Path(path), Path(f"{path}.pub"), Ed25519PrivateKey.generate()
    texts = {
        private: (key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600),
        public: (key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), 0o644),
    }
    if private.exists() or public.exists():
        message = f"the key {str(path)!r} must not exist yet, nor {str(public)!r}: releases that it signed could not be checked"
        raise OutputError(message)
    for file, (data, mode) in texts.items():
        try:
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            message = f"the key {str(file)!r} cannot be written: {error.strerror or error}"
            raise OutputError(message) from None
    return private, public


def write_signature(folder: Path, digest: str, key: SignatureKey) -> None:
    """Write `release.sig` into a folder."""
    signature = base64.b64encode(key.sign(digest)).decode()
    held = {"schema": _SCHEMA, "algorithm": "Ed25519", "digest": digest, "signature": signature}
    (folder / SIGNATURE_FILE).write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")


def require_signed(folder: Path, digest: str, public_key: str | Path) -> None:
    """Refuse a folder whose signature is missing, of another digest, or of another key."""
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError(_EXTRA) from None
    data = read_document(Path(public_key), what="the public key", limit=_LARGEST_KEY)
    with told(f"the public key {str(public_key)!r}"):
        key = load_pem_public_key(data)
    if not isinstance(key, Ed25519PublicKey):
        message = f"the public key {str(public_key)!r} must be one of Ed25519"
        raise InputError(message)
    path = folder / SIGNATURE_FILE
    if not path.exists():
        message = f"the folder holds no signature, {SIGNATURE_FILE}"
        raise InputError(message)
    held: Any = read_json(path, what="the signature", limit=_LARGEST_KEY)
    with told(f"the signature {str(path)!r}"):
        stated, signature = held["digest"], base64.b64decode(held["signature"], validate=True)
        if (held["schema"], held["algorithm"]) != (_SCHEMA, "Ed25519") or stated != digest:
            message = "the signature is that of another folder: this one was changed"
            raise InputError(message)
        try:
            key.verify(signature, _message(digest))
        except InvalidSignature:
            message = "the signature was not made with the key that belongs to this public key"
            raise InputError(message) from None


def _message(digest: str) -> bytes:
    """What is signed: the words keep a signature from being mistaken for one of something else."""
    return f"{_SCHEMA} {digest}".encode()
