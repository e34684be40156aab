"""Pages for people: self-contained HTML that needs no network."""

from tacita.report.audit_page import audit_page

__all__ = ["audit_page"]
