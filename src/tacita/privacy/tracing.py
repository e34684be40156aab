"""Releases that can be traced: the digest of a folder, which a ledger notes, and a signature over it.

The digest covers every file of a release but the signature: the manifest and the documents beside it by their bytes, data files
by the hashes that the manifest states, since Spark's workers may write these elsewhere. Anyone who compares it has compared the
files with the manifest before.

A signature is Ed25519, by the library `cryptography`, which is an extra. `release.sig` is detached: it holds the digest and the
signature, and no other file names it.

Reference: Josefsson and Liusvaara, Edwards-Curve Digital Signature Algorithm, RFC 8032, 2017.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.errors import InputError, MissingExtraError, OutputError, ParameterError
from tacita.gate import read_document, read_json, told

__all__ = ["DOCUMENTS", "SIGNATURE_FILE", "SignatureKey", "new_key", "release_digest", "require_signed", "write_signature"]

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
