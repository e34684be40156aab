"""What synthesis of several kinds shares. Behind the wall: nothing here may see a record or a true count.

`standing_out` says which noisy counts to keep, by the share of noise in what is kept, and shrinks the others; `walks` draws walks
of a chain given their lengths; `raking` weighs lookalikes so that they agree with all noisy answers at once.
"""

from tacita.synthesis.raking import Measured, agreed, copies_of
from tacita.synthesis.standing_out import shrunk_rows, shrunk_to_each_other, standing_out
from tacita.synthesis.walks import Chain, walks

__all__ = ["Chain", "Measured", "agreed", "copies_of", "shrunk_rows", "shrunk_to_each_other", "standing_out", "walks"]
