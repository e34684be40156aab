"""Synthetic sequences as a release, with what their receiver may know."""

from __future__ import annotations

from collections.abc import Mapping

from tacita.arrays.ragged import Ragged
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget
from tacita.privacy.publishing import guarantee_of
from tacita.privacy.release import Release, manifest_of, public_inputs
from tacita.public.taxonomy import Taxonomy
from tacita.sequences.ngrams.published import PublishedGrams
from tacita.sequences.published import PublishedSequences
from tacita.sequences.records import SequenceRecords

__all__ = ["sequence_release"]


def sequence_release(  # noqa: PLR0913 - the parts of a release
    records: SequenceRecords,
    sequences: Ragged,
    account: Account,
    *,
    budget: Budget,
    parameters: Mapping[str, object],
    rules: tuple[str, ...],
    taxonomy: Taxonomy | None = None,
    grams: PublishedGrams | None = None,
) -> Release[PublishedSequences]:
    """Make the release while the account is open; `rules` are told beside those of reading."""
    data = PublishedSequences(
        sequences=sequences,
        universe=records.universe,
        grid=records.grid,
        file_format=records.file_format,
        columns=records.columns,
        grams=grams,
    )
    guarantee = guarantee_of(records, account, budget=budget)
    manifest = manifest_of(
        kind="sequences",
        mechanism=account.charge.mechanism,
        parameters=parameters,
        guarantee=guarantee,
        account=account,
        public_inputs=public_inputs(records.universe, taxonomy=taxonomy, grid=records.grid),
        rules=(*records.rules, *rules),
    )
    return Release(data=data, guarantee=guarantee, manifest=manifest)
