"""DER: dense regions of the adjacency matrix, explored privately. Read regions, schedule, exploration, method, in this order."""

from tacita.networks.dense_regions.method import DenseRegions

__all__ = ["DenseRegions"]
