"""Itineraries: sequences as people make them, with their orders, their returns and who was where; one algorithm in one folder.

Read `method` (public parameters and the verb), `shares` (what each question costs, with times and without), `questions` (the
wall: what is asked, and why one record cannot change it much), then `synthesis` (behind the wall). The alphabet is
`tacita.public.letters`.

Of times: `timed` (the wall for times, and what is asked in which order), and of the synthesis `noisy_times`, `posterior`,
`popularity` and `timing`. The cells are `tacita.public.time_grid`.
"""

from tacita.sequences.itineraries.method import Itineraries

__all__ = ["Itineraries"]
