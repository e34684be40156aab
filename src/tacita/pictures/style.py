"""Colours and shapes of pictures and pages, as CSS.

Everything hangs below the class `tacita`, so that it can stand in a notebook. Series differ by colour, by dash (lines) and by
filling (bars), so that they survive grey printing and colour blindness; the colours are those of Okabe and Ito, darkened or
lightened until text in them has a contrast of 4.5 against the paper.
"""

from __future__ import annotations

__all__ = ["PAGE_STYLE", "PICTURE_STYLE", "SERIES", "SHADES"]

_LIGHT = (
    "--ink:#1b1b1b;--soft:#55585c;--paper:#ffffff;--panel:#f5f6f8;--grid:#d9dce1;--good:#116329;--bad:#b3261e;"
    "--s0:#005f99;--s1:#b34700;--s2:#00735a;--s3:#9a3f78;--s4:#7a5c00;--s5:#4b57c4;--s6:#666a70"
)
_DARK = (
    "--ink:#eceff4;--soft:#b4bac4;--paper:#16181c;--panel:#1f2228;--grid:#3a3f47;--good:#6fd08c;--bad:#ff9a91;"
    "--s0:#6cb6ff;--s1:#ffab70;--s2:#5fd3ac;--s3:#eca3cf;--s4:#e3c567;--s5:#a9b1ff;--s6:#a4abb5"
)
SERIES = 6
"""How many series have a colour and a dash of their own; one more stands for a baseline."""

SHADES = 7
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "12 4", "1 3")
_FILLS = (1.0, 0.5, 0.2, 0.75, 0.35, 0.6, 0.15)
_OPACITIES = (0.05, 0.14, 0.27, 0.43, 0.6, 0.8, 1.0)

PICTURE_STYLE = (
    f".tacita{{{_LIGHT};color:var(--ink);font:14px/1.4 system-ui,sans-serif}}"
    f"@media (prefers-color-scheme:dark){{.tacita{{{_DARK}}}}}"
    f"@media print{{.tacita{{{_LIGHT}}}}}"
    ".tacita svg,svg.tacita{font-size:13px}.tacita svg{display:block;width:100%;min-width:30rem;height:auto}"
    ".tacita text{fill:var(--ink)}.tacita text.title{font-weight:600;font-size:15px}"
    ".tacita text.tick{fill:var(--soft);font-size:12px}.tacita text.small{font-size:10px}"
    ".tacita .paper{fill:var(--paper)}.tacita .grid{stroke:var(--grid)}.tacita .axis{stroke:var(--soft)}"
    ".tacita .bound{stroke:var(--ink);stroke-width:2.5}.tacita .error{stroke:var(--ink);stroke-width:1.2}"
    ".tacita .mark{stroke:var(--ink);stroke-dasharray:4 3}.tacita .frame{fill:none;stroke:var(--soft)}"
    ".tacita .track{stroke:var(--soft);stroke-width:4}.tacita .stop{fill:var(--paper);stroke:var(--ink);stroke-width:2}"
    ".tacita .group{fill:var(--s6)}"
    + "".join(
        f".tacita .l{k}{{fill:none;stroke:var(--s{k});stroke-width:2;stroke-dasharray:{dash or 'none'}}}"
        f".tacita .e{k}{{fill:none;stroke:var(--s{k});stroke-opacity:.55}}"
        f".tacita .b{k}{{fill:var(--s{k});fill-opacity:.16}}.tacita .d{k}{{fill:var(--s{k})}}"
        f".tacita .f{k}{{fill:var(--s{k});fill-opacity:{fill};stroke:var(--s{k})}}"
        for k, (dash, fill) in enumerate(zip(_DASHES, _FILLS, strict=True))
    )
    + "".join(f".tacita .h{k}{{fill:var(--s0);fill-opacity:{opacity}}}" for k, opacity in enumerate(_OPACITIES))
    + ".tacita figure{margin:1.6rem 0;break-inside:avoid}.tacita figcaption{margin-bottom:.4rem}"
    ".tacita figcaption span{color:var(--soft)}"
    ".tacita .plot,.tacita .scroll{overflow-x:auto}.tacita details .scroll{max-height:30rem;overflow-y:auto}"
    ".tacita .scroll+.scroll{margin-top:1.2rem}"
    ".tacita table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".tacita caption{text-align:left;white-space:nowrap;color:var(--soft);padding:.2rem 0}"
    ".tacita th,.tacita td{padding:.25rem .6rem;border-bottom:1px solid var(--grid);text-align:right;vertical-align:top}"
    ".tacita th[scope=row],.tacita .t,.tacita thead th:first-child{text-align:left}.tacita th[scope=row]{font-weight:400}"
    ".tacita summary{cursor:pointer;color:var(--soft)}"
    "@media print{.tacita svg{min-width:0}.tacita .scroll,.tacita details .scroll{max-height:none;overflow:visible}"
    ".tacita details:not(.large)::details-content{content-visibility:visible;block-size:auto}"
    ".tacita details:not(.large) summary{display:none}.tacita tr{break-inside:avoid}"
    ".tacita thead,.tacita caption{break-after:avoid}}"
)

PAGE_STYLE = PICTURE_STYLE + (
    ":root{color-scheme:light dark}html{-webkit-text-size-adjust:100%}"
    "body.tacita{margin:0;background:var(--paper);font-size:16px;line-height:1.55}"
    ".tacita main,.tacita header,.tacita footer{max-width:52rem;margin:0 auto;padding:.6rem 1rem}"
    ".tacita h1{font-size:1.7rem;line-height:1.25;margin:.8rem 0 .3rem;overflow-wrap:anywhere}"
    ".tacita h2{font-size:1.25rem;margin:2.2rem 0 .5rem;border-top:1px solid var(--grid);padding-top:1rem}"
    ".tacita p,.tacita li{max-width:42rem}.tacita .lead{font-size:1.1rem}"
    ".tacita .note{border-left:4px solid var(--soft);background:var(--panel);padding:.6rem .9rem}"
    ".tacita .note.private{border-color:var(--bad)}"
    ".tacita .good{color:var(--good);font-weight:700}.tacita .bad{color:var(--bad);font-weight:700}"
    ".tacita code,.tacita pre{font:.88em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}"
    ".tacita pre{background:var(--panel);padding:.7rem .9rem;overflow-x:auto;white-space:pre-wrap}"
    ".tacita a{color:var(--s0)}.tacita :focus-visible{outline:3px solid var(--s1);outline-offset:2px}"
    ".tacita nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;padding:0;margin:.6rem 0}"
    ".tacita footer{color:var(--soft);font-size:.9rem;margin-bottom:2rem}"
    "@media print{.tacita nav{display:none}.tacita a{color:inherit}.tacita h2{break-after:avoid}}"
)
