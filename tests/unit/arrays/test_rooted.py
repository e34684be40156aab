"""What rooted trees say about all nodes at once is what a walk from node to node finds."""

import numpy as np
from hypothesis import given

from strategies import taxonomies
from tacita.arrays.rooted import Rooted


def below(parents, node):
    """The node and all below it, in the order in which a walk meets them."""
    return [node, *(found for child, parent in enumerate(parents) if parent == node for found in below(parents, child))]


@given(taxonomies())
def test_arrays_of_all_nodes_agree_with_a_walk(taxonomy):
    parents = list(taxonomy.parents)
    tree, root = Rooted(np.array(parents)), parents.index(-1)
    walk = below(parents, root)
    leaves = [node for node in walk if node not in parents]
    assert tree.leaf_order.tolist() == leaves
    assert sorted(tree.upward_order.tolist()) == list(range(len(parents)))
    begin, end = tree.ranges
    turn = {node: place for place, node in enumerate(tree.upward_order.tolist())}
    for node in range(len(parents)):
        inside = below(parents, node)
        assert leaves[begin[node] : end[node]] == [leaf for leaf in leaves if leaf in inside]
        assert tree.depths[node] == sum(node in below(parents, above) for above in range(len(parents))) - 1
        assert tree.heights[node] == max(tree.depths[inside]) - tree.depths[node]
        assert all(turn[other] <= turn[node] for other in inside)
        only = node
        while len(taxonomy.children(only)) == 1:
            only = taxonomy.children(only)[0]
        assert tree.past_only_children[node] == only


@given(taxonomies())
def test_siblings_may_be_walked_in_another_order(taxonomy):
    parents = np.array(taxonomy.parents)
    backwards = Rooted(parents, rank=-np.arange(parents.size))
    assert backwards.leaf_order.tolist() == Rooted(parents).leaf_order.tolist()[::-1]
