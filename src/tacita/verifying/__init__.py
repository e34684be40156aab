"""Whether a release folder is what it says, for a recipient who trusts neither the owner nor the transport.

Read `verification` first: it says what is checked and in which order. `folder` compares the files with the manifest, `private`
recomputes the plan and the noise of a private release; the models of verified ones are recomputed by the room of their kind.
`tracing` compares the folder with a ledger and with a signature.
"""

from tacita.verifying.findings import Finding, Verification
from tacita.verifying.verification import verify

__all__ = ["Finding", "Verification", "verify"]
