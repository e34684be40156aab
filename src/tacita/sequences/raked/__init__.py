"""Raked sequences: lookalikes that agree with all noisy answers at once; one algorithm in one folder.

Read `method` (public parameters and the verb), `questions` (the wall: what is asked, and why one record cannot change it much),
then `synthesis` (behind the wall). Codes, cells and weights are `tacita.public.steps`; raking, walks and the threshold are
`tacita.synthesis`.
"""

from tacita.sequences.raked.method import Raked

__all__ = ["Raked"]
