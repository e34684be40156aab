"""DER: dense regions of the adjacency matrix, explored privately. Read `exploration`, then `method`."""

from tacita.networks.dense_regions.method import DenseRegions

__all__ = ["DenseRegions"]
