"""Models as people write them on a command line, such as `k=5, entropy-l=1.8` or `alpha=0.5:4, confidence=HIV:0.1`."""

from __future__ import annotations

from tacita.errors import ParameterError
from tacita.privacy.budget import decimal_text
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

__all__ = ["as_models", "models_text", "parse_models"]

FORMS = "k=K, l=L, entropy-l=L, recursive=C:L, alpha=ALPHA:K, t=T, confidence=BOUND or confidence=VALUE:BOUND"


def as_models(models: str | Model | tuple[Model, ...] | list[Model]) -> tuple[Model, ...]:
    """Models from text, one of them, or several; there must be one at least."""
    parsed = parse_models(models) if isinstance(models, str) else models
    found = tuple(parsed) if isinstance(parsed, tuple | list) else (parsed,)
    if not found:
        message = f"a publisher must be told what to guarantee: {FORMS}"
        raise ParameterError(message)
    return found


def parse_models(text: str) -> tuple[Model, ...]:
    """Read models from text.

    >>> [model.statement() for model in parse_models("k=5, t=0.2")]  # doctest: +ELLIPSIS
    ['every row is one of at least 5 that look alike', 'the sensitive values of rows that look alike are within ...']
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    bounds = [part for part in parts if part.startswith("confidence=")]
    found = [_parsed(part) for part in parts if part not in bounds]
    if bounds:
        pairs = [part.removeprefix("confidence=").rpartition(":") for part in bounds]
        templates = tuple((value.strip(), bound.strip()) for value, _, bound in pairs if value)
        others = [bound.strip() for value, _, bound in pairs if not value]
        found.append(ConfidenceBound(templates=templates, others=others[-1] if others else None))
    return tuple(found)


def _parsed(part: str) -> Model:
    name, _, value = (piece.strip() for piece in part.partition("="))
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
