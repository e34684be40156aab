"""Networks: undirected simple graphs over public vertices, of which edges are protected."""

from tacita.networks.dense_regions import DenseRegions
from tacita.networks.published import CutAnswer, PublishedNetwork, opened_network, read_published_network
from tacita.networks.reading import EdgeFile
from tacita.networks.records import NetworkRecords, VertexBlocks, no_network, read_for_kind, read_network
from tacita.networks.shape import DegreeNetwork, ShapeNetwork

__all__ = [
    "CutAnswer",
    "DegreeNetwork",
    "DenseRegions",
    "EdgeFile",
    "NetworkRecords",
    "PublishedNetwork",
    "ShapeNetwork",
    "VertexBlocks",
    "no_network",
    "opened_network",
    "read_for_kind",
    "read_network",
    "read_published_network",
]
