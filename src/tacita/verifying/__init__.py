"""Whether a release folder is what it says, for a recipient who trusts neither the owner nor the transport.

Read `verification` first: it says what is checked and in which order, and compares the folder with its manifest, a ledger and a
signature. `private` recomputes the plan and the noise of a private release; the models of verified ones are recomputed by the
room of their kind.
"""

from tacita.verifying.findings import Finding, Verification
from tacita.verifying.verification import verify

__all__ = ["Finding", "Verification", "verify"]
