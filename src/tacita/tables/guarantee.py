"""What a verified table promises for every group of rows that look alike: its models, their limits, and how models are typed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacita.errors import ParameterError
from tacita.privacy.budget import decimal_text
from tacita.privacy.guarantee import Verified
from tacita.tables.models import (
    AlphaK,
    ConfidenceBound,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    Model,
    RecursiveDiversity,
    TCloseness,
)

__all__ = ["SyntacticPrivacy", "as_models", "models_text", "parse_models", "promised"]

BUCKETS = "people in one bucket"
"""What a group is, where quasi-identifiers are shown as they are."""

LIMITS = (
    "This is no differential privacy: it does not cover other releases about the same people, knowledge of how the groups were "
    "made, knowledge about other people's values, or whether somebody is in the table."
)


@dataclass(frozen=True, kw_only=True)
class SyntacticPrivacy:
    """Models that every group of a published table satisfies, by an independent check.

    `group` says what a group is: rows that look alike, or the people of one bucket.
    """

    models: tuple[Model, ...]
    group: str = "rows that show the same"
    voids: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the promise stands; without a passed check there is no release."""
        return not self.voids

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest."""
        return "syntactic"

    @property
    def evidence(self) -> Verified:
        """The check that passed."""
        return Verified(check=f"every group of {self.group} satisfies every model", by="tacita.tables.verifying")

    def statement(self) -> str:
        """The promise in plain words, with what it does not cover."""
        promises = "; ".join(model.statement() for model in self.models)
        return f"In this release, {promises}; alike are {self.group}. {LIMITS}"

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        return {
            "definition": self.definition,
            "models": [model.as_json() for model in self.models],
            "holds": self.holds,
            "voids": list(self.voids),
            "evidence": self.evidence.as_json(),
            "statement": self.statement(),
        }


def promised(manifest: Mapping[str, Any]) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """The guarantee that a manifest's models mean, word by word, and the parameters that go with it."""
    stated = manifest["guarantee"]
    models = as_models(tuple(_stated(each) for each in stated["models"]))
    is_bucketized = manifest["mechanism"]["name"] == "bucketize"
    group = BUCKETS if is_bucketized else SyntacticPrivacy.group
    parameters: Mapping[str, object] = {"l": stated["models"][0].get("l")} if is_bucketized else {"models": models_text(models)}
    return SyntacticPrivacy(models=models, group=group, voids=tuple(stated["voids"])).as_json(), parameters


def _stated(model: Mapping[str, Any]) -> Model:  # noqa: PLR0911 - one return per model
    """A model as a manifest holds it."""
    match model:
        case {"model": "k-anonymity", "k": int(k)}:
            return KAnonymity(k=k)
        case {"model": "distinct-l-diversity", "l": int(least)}:
            return DistinctDiversity(l=least)
        case {"model": "entropy-l-diversity", "l": str(bound)}:
            return EntropyDiversity(l=bound)
        case {"model": "recursive-c-l-diversity", "c": str(factor), "l": int(rank)}:
            return RecursiveDiversity(c=factor, l=rank)
        case {"model": "confidence-bound", "templates": list(templates), "others": None | str() as others}:
            return ConfidenceBound(templates=tuple((each["value"], each["bound"]) for each in templates), others=others)
        case {"model": "alpha-k-anonymity", "alpha": str(alpha), "k": int(k)}:
            return AlphaK(alpha=alpha, k=k)
        case {"model": "t-closeness", "t": str(t)}:
            return TCloseness(t=t)
    message = f"a manifest must state models that Tacita knows, got {str(model.get('model'))[:80]!r}"
    raise ParameterError(message)


# Models as people type them, such as `k=5, entropy-l=1.8` or `alpha=0.5:4, confidence=HIV:0.1`.


FORMS = "k=K, l=L, entropy-l=L, recursive=C:L, alpha=ALPHA:K, t=T, confidence=BOUND or confidence=VALUE:BOUND"


def as_models(models: str | Model | tuple[Model, ...] | list[Model]) -> tuple[Model, ...]:
    """Models from text, one of them, or several; there must be one at least."""
    parsed = parse_models(models) if isinstance(models, str) else models
    found = tuple(parsed) if isinstance(parsed, tuple | list) else (parsed,)
    if not found:
        message = f"a publisher must be told what to guarantee: {FORMS}"
        raise ParameterError(message)
    _require_one_promise_each(found)
    return found


def _require_one_promise_each(models: tuple[Model, ...]) -> None:
    """Refuse two promises about the same thing: whoever reads them could take either for what holds."""
    about = Counter((type(model), model.l if isinstance(model, RecursiveDiversity) else None) for model in models)
    for (kind, _), times in about.items():
        if times > 1:
            found = models_text(tuple(model for model in models if type(model) is kind))
            message = f"a model must be asked for once, got {found}; leave the strictest, or put all bounds into one model"
            raise ParameterError(message)


def parse_models(text: str) -> tuple[Model, ...]:
    """Read models from text.

    >>> [model.statement() for model in parse_models("k=5, t=0.2")]  # doctest: +ELLIPSIS
    ['every row is one of at least 5 that look alike', 'the sensitive values of rows that look alike are within ...']
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    typed = [(name.strip(), value.strip(), part) for part in parts for name, _, value in [part.partition("=")]]
    found = [_parsed(name, value, part) for name, value, part in typed if name != "confidence"]
    bounds = [value.rpartition(":") for name, value, _ in typed if name == "confidence"]
    if bounds:
        templates = tuple((value.strip(), bound.strip()) for value, colon, bound in bounds if colon)
        others = [bound.strip() for _, colon, bound in bounds if not colon]
        if len(others) > 1:
            message = f"all values must have one bound on their confidence, got {' and '.join(others)}; leave the smallest"
            raise ParameterError(message)
        found.append(ConfidenceBound(templates=templates, others=others[0] if others else None))
    return tuple(found)


def _parsed(name: str, value: str, part: str) -> Model:
    before, _, after = (piece.strip() for piece in value.partition(":"))
    match name:
        case "k":
            model: Model = KAnonymity(k=_whole(value, part))
        case "l":
            model = DistinctDiversity(l=_whole(value, part))
        case "entropy-l":
            model = EntropyDiversity(l=value)
        case "recursive":
            model = RecursiveDiversity(c=before, l=_whole(after, part))
        case "alpha":
            model = AlphaK(alpha=before, k=_whole(after, part))
        case "t":
            model = TCloseness(t=value)
        case _:
            message = f"a model must be one of {FORMS}, got {part!r}"
            raise ParameterError(message)
    return model


def _whole(text: str, part: str) -> int:
    if not text.isascii() or not text.isdigit():
        message = f"a model must be one of {FORMS}, with whole numbers for K and L, got {part!r}"
        raise ParameterError(message)
    return int(text)


def models_text(models: tuple[Model, ...]) -> str:
    """Models as they are typed.

    >>> models_text(parse_models("k=5, recursive=3:2, confidence=HIV:0.1"))
    'k=5, recursive=3:2, confidence=HIV:0.1'
    """
    return ", ".join(part for model in models for part in _typed(model))


def _typed(model: Model) -> list[str]:  # noqa: PLR0911 - one return per model
    match model:
        case KAnonymity(k=k):
            return [f"k={k}"]
        case DistinctDiversity(l=least):
            return [f"l={least}"]
        case EntropyDiversity(l=bound):
            return [f"entropy-l={decimal_text(bound)}"]
        case RecursiveDiversity(c=factor, l=rank):
            return [f"recursive={decimal_text(factor)}:{rank}"]
        case AlphaK(alpha=alpha, k=k):
            return [f"alpha={decimal_text(alpha)}:{k}"]
        case TCloseness(t=t):
            return [f"t={decimal_text(t)}"]
        case ConfidenceBound(templates=templates, others=others):
            bounds = [f"confidence={value}:{decimal_text(bound)}" for value, bound in templates]
            return bounds + ([] if others is None else [f"confidence={decimal_text(others)}"])
        case _:
            return [model.statement()]
