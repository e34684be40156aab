"""The words of `tacita audit`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json, add_switch
from tacita.cli.words.groups import add_budget, add_kind, add_parameters, add_public, add_reading, method_name
from tacita.kinds import methods

__all__ = ["MethodsAndOthers", "add"]


class MethodsAndOthers(tuple[str, ...]):
    """The names of all methods; any dotted name such as `package:Class` is accepted too."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        """Whether a name may be typed."""
        return super().__contains__(name) or (isinstance(name, str) and ":" in name)


def add(commands: Commands) -> None:
    """Offer the command."""
    audit = add_command(
        commands,
        "audit",
        COMMANDS["audit"],
        "tacita audit prefix-tree --height 3 --epsilon 1 --quick",
    )
    audit.add_argument(
        "method",
        nargs="?",
        type=method_name,
        choices=MethodsAndOthers(methods()),
        metavar="METHOD",
        help="the method to audit; or package:name of an audit.Target, or of a class with publish (needs --kind)",
    )
    add_switch(audit, "--all", "audit every method, the samplers and the broken controls")
    add_kind(audit, inferred_from="method")
    add_budget(audit)
    add_parameters(audit)
    add_switch(audit, "--quick", "fewer repetitions: some minutes for --all")
    audit.add_argument("--input", metavar="FILE", help="also replay on sampled neighbours of this real file")
    add_public(audit)
    add_reading(audit)
    audit.add_argument("--neighbours", type=int, default=1000, metavar="N", help="how many neighbours of the file (1000)")
    audit.add_argument("--seed", type=int, default=0, metavar="N", help="another choice of small data sets and replayed runs")
    audit.add_argument("--html", metavar="FILE", help="write a page with the evidence")
    add_json(audit)
    add_config(audit)
