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
    assert (answer.status, answer.place) == (200, "")
    assert 'content="0;url=/"' in answer.text
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


def test_a_cookie_of_backslashes_is_read_at_once(browser):
    """Python's parser backtracks on it; counted by its steps, not by a clock."""
    import sys

    steps = []
    cookie = 'a="' + "\\" * 20_000
    sys.setprofile(lambda _frame, event, _argument: steps.append(event))
    try:
        browser._app._cookie({"cookie": cookie})
    finally:
        sys.setprofile(None)
    assert len(steps) < 100
    assert browser.get("/", cookie=cookie).status == 401
    assert browser.get("/", cookie=f"other=1; {browser.cookie}; {cookie}").status == 200


def test_a_form_with_too_many_fields_is_refused(browser):
    assert browser.post("/new", body=b"a=1&" * 1001).status == 413


def test_a_form_that_does_not_arrive_is_given_up(browser, monkeypatch):
    import asyncio

    from tacita.studio import guard

    monkeypatch.setattr(guard, "FORM_SECONDS", 0.01)
    messages = []

    async def nothing():
        await asyncio.Event().wait()

    async def send(message):
        messages.append(message)

    headers = {"host": HOST, "origin": f"http://{HOST}", "cookie": browser.cookie}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/new",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(browser._app(scope, nothing, send))
    assert messages[0]["status"] == 408


def test_a_long_name_of_a_file_is_shortened_and_keeps_its_ending(browser):
    for name in ("n" * 300 + ".csv.gz", "é" * 300 + ".parquet", "a." + "b" * 300):
        answer = browser.post(f"/upload?name={name}", body=b"id\n1\n")
        assert answer.status == 200, answer.text
    names = {path.name for path in (browser.studio.workspace.own / "files").iterdir()}
    assert any(name.endswith(".csv.gz") for name in names)
    assert max(len(name.encode()) for name in names) <= 160


def test_a_damaged_publication_or_a_foreign_folder_does_not_hide_the_others(browser):
    kept = browser.studio.publications.begin(file="taps.csv", kind="sequences", dataset="taps")
    folder = browser.studio.workspace.own / "publications"
    for name, text in {"0" * 32: "", "1" * 32: '{"id": 3}', "somebody": "{}", "2" * 32: "[" * 2000}.items():
        (folder / name).mkdir()
        (folder / name / "typed.json").write_text(text, encoding="utf-8")
    home = browser.get("/")
    assert home.status == 200
    assert kept.id in home.text
    assert "hold no publication that can be read" in home.text
    assert "somebody" in home.text


def test_the_link_is_opened_through_a_page_that_only_its_owner_can_read(tmp_path):
    from tacita.studio.app import _write_entrance

    path = tmp_path / "open.html"
    for _ in range(2):
        _write_entrance(path, "http://127.0.0.1:1/open?token=abc")
    assert path.stat().st_mode & 0o777 == 0o600
    assert "url=http://127.0.0.1:1/open?token=abc" in path.read_text(encoding="utf-8")


def test_a_connection_that_asks_for_nothing_is_closed(monkeypatch):
    from tacita.studio import app

    waiting = []

    class Loop:
        def call_later(self, seconds, call):
            waiting.append((seconds, call))

    class Transport:
        closed = False

        def is_closing(self):
            return self.closed

        def close(self):
            self.closed = True

    monkeypatch.setattr(app.H11Protocol, "connection_made", lambda self, transport: setattr(self, "transport", transport))
    protocol, transport = app.Impatient.__new__(app.Impatient), Transport()
    protocol.loop, protocol.cycle = Loop(), None
    protocol.connection_made(transport)
    assert waiting[0][0] == app.SILENT_SECONDS
    waiting[0][1]()
    assert transport.closed


def test_the_icon_that_browsers_ask_for_is_nothing_and_no_error(browser):
    assert browser.get("/favicon.ico").status == 204
    assert browser.get("/favicon.ico", cookie=None).status == 204
    assert browser.get("/favicon.ico", host="evil.example").status == 421
