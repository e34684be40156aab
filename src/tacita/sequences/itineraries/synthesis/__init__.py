"""From noisy answers to itineraries. Behind the wall: nothing here may see a record or a true count.

Read `noisy` (what there is), `template` (which letter comes next), `places` (which place), `walkers` (who goes), `choices` (what
they may do), `steering` (how many do so), `dealing` (who does), `walk` (all of it, step by step), `flows` (what came of it) and
`fit` (until everything agrees).
"""

from tacita.sequences.itineraries.synthesis.fit import itineraries, repeated_singly
from tacita.sequences.itineraries.synthesis.noisy import NoisyItineraries

__all__ = ["NoisyItineraries", "itineraries", "repeated_singly"]
