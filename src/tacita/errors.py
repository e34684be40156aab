"""Every error that Tacita raises on purpose, as one tree.

    TacitaError
    ├── BudgetError            a budget or a share of one is not usable
    ├── ParameterError         a public parameter is not usable
    │   ├── UniverseError
    │   ├── TaxonomyError
    │   ├── NeighboursError    a mechanism was asked for a relation that it does not prove
    │   └── TooManyPatternsError   too many patterns tie for the last place to be listed
    ├── InputError             a file or its contents cannot be read as declared
    │   └── MissingDataError       a real data set is not there
    ├── OutputError            a release cannot be written
    ├── TooManyNodesError      a noisy structure outgrew its public bound
    ├── AuditFailedError       an audit found something
    ├── InfeasibleError        no release of these records keeps the bound that was asked for
    ├── MissingExtraError      a library that a part of Tacita needs is not installed
    ├── EngineError            an engine lost, repeated or cut what it was to count, or is not installed
    ├── VerificationError      an independent check did not pass, so nothing was published
    ├── ContractError          a method does not keep what every method must keep
    ├── ChangedElsewhereError  another tab of the studio changed a publication since its page was opened
    └── LedgerError
        ├── LedgerExhaustedError   the spend would exceed the owner's cap, or has no cap where others do
        ├── LedgerLockedError      another process holds the file
        ├── LedgerDamagedError     the file is not a ledger, or no longer one
        ├── UnplannedDrawError     a draw that the plan does not contain
        └── ReplayError            a replayed run asked a different question from the recorded one

The message of an error says what must hold, what was given and what to do. An error about a record gives its position and
the rule, never its value.
"""

__all__ = [
    "AuditFailedError",
    "BudgetError",
    "ChangedElsewhereError",
    "ContractError",
    "EngineError",
    "InfeasibleError",
    "InputError",
    "LedgerDamagedError",
    "LedgerError",
    "LedgerExhaustedError",
    "LedgerLockedError",
    "MissingDataError",
    "MissingExtraError",
    "NeighboursError",
    "OutputError",
    "ParameterError",
    "ReplayError",
    "TacitaError",
    "TaxonomyError",
    "TooManyNodesError",
    "TooManyPatternsError",
    "UniverseError",
    "UnplannedDrawError",
    "VerificationError",
]


class TacitaError(Exception):
    """The root: catching this catches everything that Tacita refuses."""


class BudgetError(TacitaError):
    """A budget or a share of one is not usable."""


class ParameterError(TacitaError, ValueError):
    """A public parameter is not usable."""


class UniverseError(ParameterError):
    """A universe is not a list of distinct labels."""


class TaxonomyError(ParameterError):
    """A taxonomy is not one tree over its universe."""


class NeighboursError(ParameterError):
    """A mechanism was asked for a neighbouring relation that it does not prove."""


class TooManyPatternsError(ParameterError):
    """Too many patterns tie for the last place to be listed."""


class InputError(TacitaError):
    """A file or its contents cannot be read as declared."""


class MissingDataError(InputError):
    """A real data set is not there; experiments go on without it and say so."""


class OutputError(TacitaError):
    """A release cannot be written."""


class TooManyNodesError(TacitaError):
    """A noisy structure outgrew its public bound."""


class AuditFailedError(TacitaError):
    """An audit found something."""


class InfeasibleError(TacitaError):
    """No release of these records keeps the bound that was asked for."""


class MissingExtraError(TacitaError):
    """A library that a part of Tacita needs is not installed."""


class EngineError(TacitaError):
    """An engine lost, repeated or cut what it was to count, or is not installed."""


class VerificationError(TacitaError):
    """An independent check did not pass, so nothing was published."""


class ContractError(TacitaError):
    """A method does not keep what every method must keep."""


class ChangedElsewhereError(TacitaError):
    """Another tab of the studio changed a publication since its page was opened."""


class LedgerError(TacitaError):
    """The ledger refuses."""


class LedgerExhaustedError(LedgerError):
    """The spend would exceed the owner's cap, or has no cap in a ledger that holds caps for others."""


class LedgerLockedError(LedgerError):
    """Another process holds the ledger file."""


class LedgerDamagedError(LedgerError):
    """The file is not a ledger, or no longer one."""


class UnplannedDrawError(LedgerError):
    """A mechanism asked for a draw that its plan does not contain."""


class ReplayError(LedgerError):
    """A replayed run asked another question than the recorded one: a decision was taken on raw data."""
