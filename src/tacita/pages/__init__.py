"""Pages for people: self-contained HTML that needs no network. Pictures and skeleton are in `tacita.pictures`.

`evaluation` compares a release with its records, `promise` says a guarantee in plain words, `release_report` has the pages on a
release, and `judges` those on audits and attacks.
"""

from tacita.pages.judges import attack_page, attack_picture, audit_page
from tacita.pages.release_report import Reported, evaluation_page, owner_report, public_report

__all__ = ["Reported", "attack_page", "attack_picture", "audit_page", "evaluation_page", "owner_report", "public_report"]
