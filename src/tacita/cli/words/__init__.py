"""The parsers of the command line, one module per command. Nothing heavy is imported here, so that help is instant.

A command consists of a module here with `add`, its name and a summary in `COMMANDS`, and a module `tacita.cli.<name>` with `run`.
Commands of other packages are in `tacita.cli.added`.
"""

__all__ = ["COMMANDS"]

COMMANDS = {
    "publish": "publish a file with a guarantee",
    "stream": "publish a stream of events while it goes on; what was interrupted goes on where it was",
    "explain": "show where a budget would go and, given the number of records, what a release would keep; reads no data",
    "evaluate": "compare a release with the private file it was made from, for the owner's eyes only",
    "report": "write a page on a release for its owner, and one without raw figures that may go with it",
    "verify": "check a release folder from itself alone: files, schema, and that the guarantee follows from the draws",
    "lattice": "show what each coarser grain of the data would keep, for the owner's eyes only",
    "compare": "run all methods of a kind on one file and compare their errors, for the owner's eyes only",
    "attack": "attack the private file and its releases by what others may know, for the owner's eyes only",
    "ledger": "create a ledger, show what was spent, set a cap, verify it",
    "audit": "check that a method keeps its promise",
    "studio": "open a page on this machine that leads from a file to a release",
    "datasets": "list known public data, fetch it, or check a local copy",
    "simulate": "write a simulated world: data of any size that belongs to nobody",
    "demo": "simulate a small transit agency and publish it",
    "completion": "print a shell completion script",
}
"""The commands in the order in which help lists them, each with what it does in one line."""
