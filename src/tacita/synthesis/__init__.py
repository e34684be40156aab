"""What synthesis of several kinds shares. Behind the wall: nothing here may see a record or a true count.

`posterior` takes noisy counts as their means given what all of them look like; `standing_out` says which to keep, by the share of
noise in what is kept, and shrinks the rows of a table; `walks` draws walks of a chain given their lengths; `raking` weighs
lookalikes so that they agree with all noisy answers at once.
"""

from tacita.synthesis.posterior import posterior_means
from tacita.synthesis.raking import Agreement, Measured, agreed, copies_of
from tacita.synthesis.standing_out import shrunk_rows, standing_out
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
    "posterior_means",
    "shrunk_rows",
    "standing_out",
    "walks",
]
