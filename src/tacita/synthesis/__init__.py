"""What synthesis of several kinds shares. Behind the wall: nothing here may see a record or a true count.

`standing_out` says which noisy counts to keep, by the share of noise in what is kept, and shrinks the others; `walks` draws walks
of a chain given their lengths; `raking` weighs lookalikes so that they agree with all noisy answers at once.
"""

from tacita.synthesis.raking import Agreement, Measured, agreed, copies_of
from tacita.synthesis.standing_out import only_standing_out, shrunk_rows, shrunk_to_each_other, standing_out
from tacita.synthesis.walks import ANY, FRO, STAY, Chain, Habits, walks

__all__ = [
    "ANY",
    "FRO",
    "STAY",
    "Agreement",
    "Chain",
    "Habits",
    "Measured",
    "agreed",
    "copies_of",
    "only_standing_out",
    "shrunk_rows",
    "shrunk_to_each_other",
    "standing_out",
    "walks",
]
