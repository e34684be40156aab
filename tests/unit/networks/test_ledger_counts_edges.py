"""What a network spends is added up per edge, and a group of edges costs each of them its share."""

from fractions import Fraction

import pytest

from strategies import network_records
from tacita.errors import BudgetError, LedgerExhaustedError, NeighboursError
from tacita.networks import DegreeNetwork, NetworkRecords
from tacita.privacy.budget import PureDP
from tacita.privacy.guarantee import AddRemoveRecord
from tacita.privacy.ledger import Ledger
from tacita.privacy.publishing import charged, private_release


def test_an_edge_cap_binds_and_a_group_of_edges_shares_the_price():
    ledger, records = Ledger(), network_records(["AB", "BC"] * 5)
    ledger.set_cap(records.name, PureDP("1/2"), unit="edge")
    DegreeNetwork(correlated_edges=4).publish(records, budget=PureDP(1), ledger=ledger)
    assert ledger.balance(records.name, unit="edge").epsilon == Fraction(1, 4)
    assert ledger.balance(records.name).epsilon == 0
    with pytest.raises(LedgerExhaustedError):
        DegreeNetwork().publish(records, budget=PureDP(1), ledger=ledger)


def test_a_data_set_with_a_cap_in_another_unit_is_not_new():
    ledger, records = Ledger(new_datasets=True), network_records(["AB"])
    ledger.set_cap(records.name, PureDP(1), unit="person")
    with pytest.raises(LedgerExhaustedError):
        DegreeNetwork().publish(records, budget=PureDP(50), ledger=ledger)


def test_a_release_promises_no_less_than_its_plan_costs_and_what_was_charged():
    records = network_records(["AB"])
    plan = DegreeNetwork().plan(PureDP(10), records.public)
    with charged(records, "degree", plan, ledger=Ledger(), neighbours=None) as account:
        with pytest.raises(BudgetError, match="its plan costs more"):
            private_release(records, None, account, budget=PureDP("0.1"), parameters={}, rules=())
        with pytest.raises(NeighboursError, match="charged per edge"):
            private_release(records, None, account, budget=PureDP(10), parameters={}, rules=(), relation=AddRemoveRecord())


def test_vertices_that_are_taken_from_a_graph_void_the_guarantee():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("a", "b"), ("a", "c")])
    records = NetworkRecords.from_networkx(graph)
    assert not DegreeNetwork().publish(records, budget=PureDP(1)).guarantee.holds
    public = NetworkRecords.from_networkx(graph, universe=records.universe.__class__(["a", "b", "c"]))
    assert DegreeNetwork().publish(public, budget=PureDP(1)).guarantee.holds
