"""Pages for people: self-contained HTML that needs no network."""

from tacita.report.audit_page import audit_page
from tacita.report.owner_page import owner_page

__all__ = ["audit_page", "owner_page"]
