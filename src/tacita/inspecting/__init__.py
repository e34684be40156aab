"""Looking at a private file for its owner: what it is like, what only the owner can say, and what to type to publish it.

Read `inspection` first. `sources` gives the rows of any format, `texts` divides lines into fields, `columns` says what columns
hold, `roles` what they may be for; `result` is what comes out. Nothing in here publishes, and nothing that publishes uses it.
"""

from tacita.inspecting.inspection import inspect
from tacita.inspecting.result import Answer, Candidate, Column, ColumnType, Inspection, OddRows, Question, Reading, Role

__all__ = ["Answer", "Candidate", "Column", "ColumnType", "Inspection", "OddRows", "Question", "Reading", "Role", "inspect"]
