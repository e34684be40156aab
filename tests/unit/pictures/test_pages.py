"""Pages escape everything, load nothing and allow nothing but their own style."""

import base64
import hashlib
import re

from tacita.pictures import Line, Page, Section, Table, line_plot, render
from tacita.pictures.lines import Axis

EVIL = "<script>alert(1)</script>"
PICTURE = line_plot(EVIL, [Line(name=EVIL, values=[1, 2])], x=Axis(label="x"), y=Axis(label="y"))
PAGE = Page(
    title=EVIL,
    lead=EVIL,
    verdict=EVIL,
    private=EVIL,
    sections=[
        Section(
            title=EVIL,
            paragraphs=[EVIL],
            points=[EVIL],
            tables=[Table(caption=EVIL, columns=("", EVIL), rows=((EVIL, 1.5),))],
            pictures=[PICTURE],
            printed=EVIL,
            commands=[EVIL],
        )
    ],
)


def test_a_page_escapes_whatever_it_is_given():
    html = render(PAGE)
    assert "<script" not in html
    assert html.count("alert(1)") == html.count("&lt;script&gt;alert(1)") > 12


def test_the_policy_allows_the_style_of_the_page_by_its_hash_and_nothing_else():
    html = render(PAGE)
    (style,) = re.findall(r"<style>(.*?)</style>", html, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    assert f"style-src &#39;sha256-{digest}&#39;" in policy
    assert "default-src &#39;none&#39;" in policy
    assert "script-src &#39;none&#39;" in policy
    assert "http:" not in html
    assert "https:" not in html


def test_a_page_says_the_same_for_scripts():
    found = PAGE.as_json()["sections"][0]
    assert found["tables"][0]["rows"] == [[EVIL, 1.5]]
    assert found["pictures"][0]["tables"][0]["rows"] == [[0, 1], [1, 2]]
