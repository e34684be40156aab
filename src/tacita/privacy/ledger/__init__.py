"""The ledger: what was spent, durably, and what the owner allows.

In this order: `entries` (what is written down, as which lines, and when two names mean the same data set), `books` (what
entries add up to), `log` (an append-only file that cannot forget, and a mark of how far it had come), `store` (entries and
checkpoints in a log), `binding` (which journal of a stream may draw), `ledger` (caps, charges, draws), `pictures` (spends and
caps, drawn).
"""

from tacita.privacy.ledger.binding import Binding, Told
from tacita.privacy.ledger.books import Balance
from tacita.privacy.ledger.entries import PERSON, Entry, EntryKind
from tacita.privacy.ledger.ledger import Ledger, OpensAccounts, require_ledger_folder
from tacita.privacy.ledger.log import AppendLog
from tacita.privacy.ledger.marks import Mark
from tacita.privacy.ledger.store import Checked

__all__ = [
    "PERSON",
    "AppendLog",
    "Balance",
    "Binding",
    "Checked",
    "Entry",
    "EntryKind",
    "Ledger",
    "Mark",
    "OpensAccounts",
    "Told",
    "require_ledger_folder",
]
