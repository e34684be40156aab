from tacita.auditing import AuditReport, Check
from tacita.pages import audit_page

GOOD = Check(subject="tree", test="replay", passed=True, summary="fine", evidence=("a pair",), reproduce="tacita audit tree")
BAD = Check(subject="<script>", test="output", passed=False, summary="p = 0 & falling", evidence=("<b>",), reproduce="again()")


def test_a_report_passes_if_all_checks_do():
    assert AuditReport(title="t", checks=(GOOD,)).passed
    assert not AuditReport(title="t", checks=(GOOD, BAD)).passed


def test_a_failure_shows_its_evidence_and_how_to_see_it_again():
    text = str(AuditReport(title="t", checks=(GOOD, BAD)))
    assert "a pair" not in text
    assert "again: again()" in text
    assert text.endswith("1 of 2 checks passed, 1 FAILED")
    assert "a pair" in AuditReport(title="t", checks=(GOOD,)).text(evidence=True)


def test_the_page_escapes_everything_and_loads_nothing():
    page = audit_page(AuditReport(title="<title>", checks=(GOOD, BAD)))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "p = 0 &amp; falling" in page
    assert "http:" not in page
    assert "https:" not in page
    assert page.index("FAIL<") < page.index(">ok<"), "failures come first"
