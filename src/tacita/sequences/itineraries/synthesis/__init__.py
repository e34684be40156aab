"""From noisy answers to itineraries. Behind the wall: nothing here may see a record or a true count.

Read `noisy` (what there is), `template` (which letter comes next), `places` (which place), `walk` (both together) and `fit`
(until everything agrees).
"""

from tacita.sequences.itineraries.synthesis.fit import itineraries, repeated_singly
from tacita.sequences.itineraries.synthesis.noisy import NoisyItineraries

__all__ = ["NoisyItineraries", "itineraries", "repeated_singly"]
