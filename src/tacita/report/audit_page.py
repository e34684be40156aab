"""An audit as one HTML page with its evidence."""

from __future__ import annotations

from html import escape

from tacita.audit.verdict import AuditReport, Check

__all__ = ["audit_page"]

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
.verdict { font-weight: 700; } .ok { color: var(--good); } .fail { color: var(--bad); }
details { color: #777; } summary { cursor: pointer; } code { font-size: .9em; overflow-wrap: anywhere; }
p.note { border-left: 4px solid var(--bad); padding-left: .8rem; }
"""


def audit_page(report: AuditReport) -> str:
    """Render the report; all text is escaped, and nothing is loaded from elsewhere."""
    failed = [check for check in report.checks if not check.passed]
    verdict = "every check passed" if not failed else f"{len(failed)} of {len(report.checks)} checks FAILED"
    rows = "\n".join(_row(check) for check in [*failed, *(check for check in report.checks if check.passed)])
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(report.title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(report.title)}</h1>
<p class="verdict {"fail" if failed else "ok"}">{escape(verdict)}</p>
<p class="note">For the owner's eyes only: parts of an audit are computed from true counts. Keep it out of every release.</p>
<table>
<thead><tr><th>verdict</th><th>subject</th><th>test</th><th>what was found</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
<h2>What this shows</h2>
<p>Exact replay proves the accounting: the privacy loss of recorded runs, computed draw by draw on neighbouring data. The output
test compares what is published, over many runs, with the exact law. The black box bounds epsilon from below, from outputs alone.
Controls are mechanisms that are broken on purpose; each must be caught, or the auditor is blind. No audit proves a guarantee for
all data: that is what the proof does. The audit looks for places where code and proof differ.</p>
</body>
</html>
"""


def _row(check: Check) -> str:
    evidence = "".join(f"<li>{escape(line)}</li>" for line in check.evidence)
    again = f"<li>again: <code>{escape(check.reproduce)}</code></li>" if check.reproduce else ""
    return (
        f'<tr><td class="verdict {"ok" if check.passed else "fail"}">{"ok" if check.passed else "FAIL"}</td>'
        f"<td>{escape(check.subject)}</td><td>{escape(check.test)}</td>"
        f"<td>{escape(check.summary)}<details{'' if check.passed else ' open'}><summary>evidence</summary>"
        f"<ul>{evidence}{again}</ul></details></td></tr>"
    )
