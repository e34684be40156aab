"""Public synthetic worlds: seeded, of any size, and nobody's data."""

from tacita.simulate.baskets import BasketWorld
from tacita.simulate.census import CensusWorld
from tacita.simulate.lookalikes import Behaviour, Lookalike, PublicFacts, lookalikes
from tacita.simulate.networks import CommutingWorld, NetworkWorld
from tacita.simulate.phones import PhoneWorld
from tacita.simulate.streams import StreamColumns, StreamWorld
from tacita.simulate.trajectories import CityWorld, FareWorld, Trajectories
from tacita.simulate.transit import TransitWorld
from tacita.simulate.worlds import WORLDS, World, WorldKind, make_world, write_world

__all__ = [
    "WORLDS",
    "BasketWorld",
    "Behaviour",
    "CensusWorld",
    "CityWorld",
    "CommutingWorld",
    "FareWorld",
    "Lookalike",
    "NetworkWorld",
    "PhoneWorld",
    "PublicFacts",
    "StreamColumns",
    "StreamWorld",
    "Trajectories",
    "TransitWorld",
    "World",
    "WorldKind",
    "lookalikes",
    "make_world",
    "write_world",
]
