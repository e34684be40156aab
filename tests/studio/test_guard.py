"""Only the owner's browser, from the studio's own pages, is answered."""

import pytest

from studios import HOST, Browser
from tacita.studio.guard import Secrets
from tacita.studio.pages import Studio
from tacita.studio.workspace import Workspace


def test_without_the_cookie_there_is_nothing_to_see(browser):
    assert browser.get("/").status == 200
    for cookie in ("", "tacita-studio-8790=wrong", browser.cookie[:-1], browser.cookie.replace("8790", "8791")):
        answer = browser.get("/", cookie=cookie)
        assert (answer.status, "taps" in answer.text) == (401, False)
    assert browser.get("/static/studio.js", cookie="").status == 401


def test_the_link_works_once_and_its_cookie_is_strict_and_hidden_from_scripts(folder):
    browser = Browser(Studio(Workspace.at(folder)), Secrets())
    link = f"/open?token={browser.secrets.link}"
    assert browser.get("/open?token=wrong").status == 403
    answer = browser.get(link)
    assert (answer.status, answer.place) == (303, "/")
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
    assert browser.get(link).status == 403
    assert browser.secrets.link == ""


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8790", "127.0.0.1", "127.0.0.1:8791", "localhost.evil:8790", None]
)
def test_a_forged_host_is_refused(browser, host):
    assert browser.get("/", host=host).status == 421
    assert browser.get(f"/open?token={browser.secrets.link}", host=host).status == 421


def test_its_other_name_on_the_loopback_is_accepted(browser):
    assert browser.get("/", host="localhost:8790").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://{HOST}", "http://127.0.0.1:1", None])
def test_a_forged_or_missing_origin_is_refused(browser, origin):
    answer = browser.post("/ledger", dataset="taps", epsilon="5", headers={"origin": origin})
    assert answer.status == 403
    assert browser.studio.ledger()["balances"] == []


def test_a_request_that_another_site_caused_is_refused(browser):
    assert browser.post("/ledger", dataset="taps", epsilon="5", headers={"sec-fetch-site": "cross-site"}).status == 403


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_missing_or_wrong_token_is_refused(browser, token):
    for path in ("/new", "/ledger", "/upload", "/p/" + "0" * 32 + "/publish"):
        assert browser.post(path, token=token, dataset="taps", epsilon="5").status == 403
    assert browser.studio.ledger()["balances"] == []


def test_a_form_of_absurd_size_is_refused(browser):
    assert browser.post("/new", body=b"file=" + b"a" * (17 * 2**20)).status == 413


def test_pages_may_load_nothing_from_elsewhere_and_nobody_may_frame_or_keep_them(browser):
    for path in ("/", "/new", "/ledger", "/nowhere", "/style.css", "/static/studio.js"):
        headers = browser.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
        assert "access-control-allow-origin" not in headers


def test_what_does_not_exist_is_a_page_that_says_so(browser):
    for path in ("/nowhere", "/p/" + "0" * 32 + "/data", "/p/../../etc/passwd/data", "/p/x/download"):
        assert browser.get(path).status == 404
    assert "There is no such publication" in browser.get("/p/" + "0" * 32 + "/data").text
