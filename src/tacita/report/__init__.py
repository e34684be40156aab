"""Pages for people: self-contained HTML that needs no network. Pictures and skeleton are in `tacita.pictures`."""

from tacita.report.attack_page import attack_page, attack_picture
from tacita.report.audit_page import audit_page
from tacita.report.evaluation import evaluation_page
from tacita.report.release_report import Reported, owner_report, public_report

__all__ = ["Reported", "attack_page", "attack_picture", "audit_page", "evaluation_page", "owner_report", "public_report"]
