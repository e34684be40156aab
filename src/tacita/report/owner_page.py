"""What an owner sees of a release: figures and pictures on one HTML page, computed from raw data."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

__all__ = ["owner_page"]

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --bad: #cf222e; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
figure { margin: 2rem 0; } figcaption { font-weight: 600; margin-bottom: .5rem; } svg { width: 100%; height: auto; }
pre { overflow-x: auto; border-top: 1px solid var(--line); padding-top: .8rem; }
p.note { border-left: 4px solid var(--bad); padding-left: .8rem; }
"""


def owner_page(title: str, *, figures: str, pictures: Mapping[str, str]) -> str:
    """Render figures and inline pictures by title; texts are escaped, nothing is loaded from elsewhere."""
    drawn = "\n".join(f"<figure><figcaption>{escape(name)}</figcaption>{picture}</figure>" for name, picture in pictures.items())
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p class="note">For the owner's eyes only: everything here is computed from raw data. Keep it out of every release.</p>
{drawn}
<pre>{escape(figures)}</pre>
</body>
</html>
"""
