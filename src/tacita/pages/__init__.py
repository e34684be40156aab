"""Pages for people: self-contained HTML that needs no network. Pictures and skeleton are in `tacita.pictures`.

`evaluation` compares a release with its records and has the pages on audits and attacks, `promise` says a guarantee in plain
words, and `release_report` has the pages on a release.
"""

from tacita.pages.evaluation import attack_page, attack_picture, audit_page
from tacita.pages.release_report import Reported, evaluation_page, owner_report, public_report

__all__ = ["Reported", "attack_page", "attack_picture", "audit_page", "evaluation_page", "owner_report", "public_report"]
