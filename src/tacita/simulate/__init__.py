"""Public synthetic worlds: seeded, of any size, nobody's data."""

from tacita.simulate.transit import TransitWorld

__all__ = ["TransitWorld"]
