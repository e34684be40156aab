"""Mistakes in the methods for networks, and in the questions that they brought."""

COST = ("tests/contract/test_exact_cost.py", "-k", "edge_costs")
SIDES = ("tests/contract/test_exact_cost.py", "-k", "edge_across")
PASS = ("tests/unit/privacy/test_one_pass_blocks.py",)
COMMANDS = ("tests/cli/test_neighbours.py", "-k", "networks or triangles")

PLACED = (
    'placed_in_blocks(self.account, "communities", self.counts.cells(), degrees=degrees, blocks=COMMUNITIES, group=self.group)'
)

MUTANTS = (
    (
        "networks:Asking.degrees",
        'degrees, degrees_rate = self._counts("degrees", true, sensitivity=2)',
        'degrees, degrees_rate = self._counts("degrees", true, sensitivity=1)',
        "an edge counts at one of its ends only",
        COST,
    ),
    (
        "networks:Asking.degrees",
        'self._counts("vertices by least degree", at_least_true, sensitivity=2)',
        'self._counts("vertices by least degree", at_least_true, sensitivity=1)',
        "the distribution of degrees with half of its noise",
        COST,
    ),
    (
        "networks:Asking.on_sides",
        'self._counts("vertices by least degree", np.concatenate(counts), sensitivity=2)',
        'self._counts("vertices by least degree", np.concatenate(counts), sensitivity=1)',
        "an edge counts on one side only",
        SIDES,
    ),
    (
        "networks:Asking.on_sides",
        'self._counts("degrees", true, sensitivity=2)',
        'self._counts("degrees", true, sensitivity=1)',
        "degrees on two sides with half of their noise",
        SIDES,
    ),
    (
        "networks:_built_across",
        "asking.across(*sided_classes(degrees, of))",
        "asking.across(*sided_classes(asking.counts.degrees(), of))",
        "classes on two sides by true degrees",
        COMMANDS,
    ),
    (
        "networks:NetworkRecords.across",
        "kept = edges_across(self.graph, sides)",
        "kept = edges_across(self.graph, sides) if len(self.graph) % 2 else self.graph",
        "whether edges inside a side are dropped depends on the others",
        SIDES,
    ),
    (
        "networks:Asking._counts",
        "noisy = every_count(self.account, step, truth, sensitivity=self.group * sensitivity)",
        "noisy = every_count(self.account, step, truth, sensitivity=sensitivity)",
        "correlated edges are priced as one",
        COST,
    ),
    (
        "networks:Asking.corners",
        'self._counts("corners of triangles", np.array([self.counts.corners()]), sensitivity=3)',
        'self._counts("corners of triangles", np.array([self.counts.corners()]), sensitivity=1)',
        "an edge changes corners of triangles by 3, and noise covers 1",
        COST,
    ),
    (
        "arrays:matched_corners",
        "_Matching(graph).size",
        "int((graph.triangles_at() > 0).sum())",
        "corners without an edge of their own are counted too, of which an edge can change any number",
        COST,
    ),
    (
        "networks:Asking.triangles",
        'ladder_count(self.account, "triangles", Spread(count=number, spread=spread), most=most, group=self.group)',
        'ladder_count(self.account, "triangles", Spread(count=number, spread=spread), most=most)',
        "correlated triangles are priced as those of one edge",
        COST,
    ),
    (
        "networks:Asking.triangles",
        "spread_of_law = min(most, round(SPREAD_OF_DEGREE * second))",
        "spread_of_law = spread",
        "the true spread of triangles reaches the wiring",
        COMMANDS,
    ),
    (
        "networks:Asking.communities",
        PLACED,
        'placed_in_blocks(self.account, "communities", self.counts.cells(), degrees=degrees, blocks=COMMUNITIES)',
        "correlated edges are priced as one in the pass that finds communities",
        COST,
    ),
    (
        "networks:Asking.communities",
        PLACED,
        'placed_in_blocks(self.account, "communities", self.counts.cells(), degrees=self.counts.degrees(), blocks=4)',
        "communities are sought in the order of true degrees",
        COST,
    ),
    (
        "privacy:PlacementQuestion.rate",
        "return self.epsilon / self.group / (1 if self.start is None else 2)",
        "return 2 * self.epsilon / self.group",
        "an edge raises the weight of a block twice as much as is paid for",
        PASS,
    ),
    (
        "privacy:PlacementQuestion.rate",
        "return self.epsilon / self.group / (1 if self.start is None else 2)",
        "return self.epsilon / self.group",
        "both ends see an edge at the price of one",
        PASS,
    ),
    (
        "privacy:in_one_pass",
        "later, earlier = np.maximum(*ends), np.minimum(*ends)",
        "later, earlier = np.concatenate([np.maximum(*ends), np.minimum(*ends)]), np.concatenate([np.minimum(*ends)] * 2)",
        "an edge is seen by both of its ends",
        PASS,
    ),
    (
        "networks:_built",
        'asking.between("edges between classes", degree_classes(degrees))',
        'asking.between("edges between classes", degree_classes(asking.counts.degrees()))',
        "classes by true degrees",
        COMMANDS,
    ),
    (
        "networks:Explorer._split",
        "sensitivity=Fraction(self.schedule.correlated_edges, self._least(level - 1))",
        "sensitivity=Fraction(self.schedule.correlated_edges, 2 * self._least(level - 1))",
        "splits by scores that an edge changes twice as much",
        COST,
    ),
    (
        "networks:Explorer.explore",
        "ends = self._ends(regions, counts, level)",
        "ends = self._ends(regions, np.bincount(where, minlength=len(regions)), level)",
        "regions end by their true counts",
        COMMANDS,
    ),
    (
        "networks:Explorer.explore",
        "self._finish(regions.chosen(ends), _renamed(where, ends), counts[ends], level)",
        "self._finish(regions.chosen(ends), _renamed(where, ends), np.bincount(where, minlength=len(regions))[ends], level)",
        "leaves get as many edges as they have",
        COMMANDS,
    ),
    (
        "privacy:ArrangementQuestion.rate",
        "return self.epsilon / self.group",
        "return self.epsilon",
        "an arrangement forgets that edges are correlated",
        COST,
    ),
    (
        "privacy:LadderCount.rate",
        "return self.epsilon / self.group / 2",
        "return self.epsilon / self.group",
        "a ladder falls twice as fast as it may",
        COST,
    ),
    (
        "tacita_papers:DegreeGenerator._keys",
        "sensitivity=2 * self.correlated_edges",
        "sensitivity=2",
        "a baseline prices correlated edges as one",
        COST,
    ),
)
