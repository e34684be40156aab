"""Bins of equal width over numeric labels."""

import pytest

from tacita.errors import TaxonomyError
from tacita.public.taxonomy import equal_width_bins
from tacita.public.universe import Universe


def test_bins_follow_the_values_and_not_the_order_of_the_labels():
    tree = equal_width_bins(Universe(["15", "3", "10", "-4"]), widths=[10])
    assert [tree.name(tree.parents[label]) for label in range(4)] == ["10..19", "0..9", "10..19", "-10..-1"]


def test_wider_bins_hold_narrower_ones():
    tree = equal_width_bins(Universe(["1", "12", "120"]), widths=[10, 100])
    assert tree.height == 3
    assert tree.name(tree.parents[tree.parents[1]]) == "0..99"


@pytest.mark.parametrize("widths", [[], [1], [10, 10], [10, 15]])
def test_widths_that_do_not_nest_are_refused(widths):
    with pytest.raises(TaxonomyError, match="each a greater multiple of the one before"):
        equal_width_bins(Universe(["1"]), widths=widths)


def test_labels_that_are_no_numbers_are_refused():
    with pytest.raises(TaxonomyError, match="whole numbers, got 'a1'"):
        equal_width_bins(Universe(["a1"]), widths=[10])
