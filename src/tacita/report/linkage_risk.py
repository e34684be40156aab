"""The linkage risk before and after, as an SVG chart: bars by the number of known pairs. For the owner's eyes only.

Text stays text, patterns and outlines survive grey printing, and colours follow the page, light or dark.
"""

from __future__ import annotations

from html import escape

from tacita.attacks.trajectories import LinkageRisk

__all__ = ["risk_picture"]

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 640, 340, 64, 64, 56
STYLE = """
  svg { font: 13px system-ui, sans-serif; color: #1b1b1b; }
  @media (prefers-color-scheme: dark) { svg { color: #eee; } }
  text { fill: currentColor; } .axis { stroke: currentColor; } .grid { stroke: currentColor; opacity: .2; }
  .before { fill: #d55e00; } .after { fill: #0072b2; } .promise { stroke: currentColor; stroke-dasharray: 4 3; }
"""


def risk_picture(title: str, before: LinkageRisk, after: LinkageRisk, *, promised: int | None) -> str:
    """Bars for the share of records that some set of pairs singles out; a dashed line marks where the promise ends.

    `title` should say what to see.
    """
    wide, tall = WIDTH - LEFT - 16, HEIGHT - TOP - BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<text x="{LEFT}" y="22" font-weight="600">{escape(title)}</text>',
        f'<rect class="before" x="{LEFT}" y="34" width="12" height="12"/><text x="{LEFT + 18}" y="45">before</text>',
        f'<rect class="after" x="{LEFT + 90}" y="34" width="12" height="12"/><text x="{LEFT + 108}" y="45">after</text>',
    ]
    for percent in (0, 25, 50, 75, 100):
        y = TOP + tall * (100 - percent) / 100
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{LEFT + wide}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>')
    step = wide / max(len(before.sizes), 1)
    for place, (raw, published) in enumerate(zip(before.sizes, after.sizes, strict=True)):
        middle = LEFT + step * (place + 0.5)
        for side, share, x in (
            ("before", raw.singled_out_at_worst, middle - step * 0.32),
            ("after", published.singled_out_at_worst, middle + step * 0.02),
        ):
            high = tall * share
            parts.append(
                f'<rect class="{side}" x="{x:.1f}" y="{TOP + tall - high:.1f}" width="{step * 0.3:.1f}" height="{high:.1f}"/>'
            )
            parts.append(
                f'<text x="{x + step * 0.15:.1f}" y="{TOP + tall - high - 4:.1f}" text-anchor="middle">{share:.0%}</text>'
            )
        parts.append(f'<text x="{middle:.1f}" y="{TOP + tall + 18}" text-anchor="middle">{raw.size}</text>')
    if promised is not None and promised < len(before.sizes):
        x = LEFT + step * promised
        parts.append(f'<line class="promise" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{TOP + tall}"/>')
        parts.append(f'<text x="{x + 6:.1f}" y="{TOP - 6}">not promised from here on</text>')
    parts += [
        f'<line class="axis" x1="{LEFT}" x2="{LEFT + wide}" y1="{TOP + tall}" y2="{TOP + tall}"/>',
        f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 14}" text-anchor="middle">known pairs of place and time</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
