"""A studio in this process, asked as a browser would ask it."""

import asyncio
import re
import time
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from tacita.studio.app import application

PORT = 8790
HOST = f"127.0.0.1:{PORT}"


class Answer:
    """What came back."""

    def __init__(self, messages):
        self.status = messages[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        self.body = b"".join(message.get("body", b"") for message in messages[1:])

    @property
    def text(self):
        return self.body.decode()

    @property
    def place(self):
        return self.headers.get("location", "")


class Browser:
    """Asks an application as a browser with the cookie does; headers can be forged."""

    def __init__(self, studio, secrets):
        self.studio, self.secrets = studio, secrets
        self._app = application(studio, secrets, port=PORT)
        self.cookie = ""

    def open(self):
        answer = self.get(f"/open?token={self.secrets.link}")
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    def get(self, path, **headers):
        return self._ask("GET", path, b"", headers)

    def post(self, path, *, body=None, token=None, **form):
        headers = form.pop("headers", {})
        token = self.secrets.form if token is None else token
        sent = urlencode({**form.pop("form", form), "token": token}).encode() if body is None else body
        return self._ask("POST", path, sent, {"origin": f"http://{HOST}", "x-studio-token": token} | headers)

    def _ask(self, method, path, body, headers):
        sent = {"host": HOST, "cookie": self.cookie, "content-type": "application/x-www-form-urlencoded"} | headers
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "scheme": "http",
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items() if value is not None],
            "server": ("127.0.0.1", PORT),
        }
        messages = []

        async def run():
            given = [{"type": "http.request", "body": body, "more_body": False}]

            async def receive():
                return given.pop() if given else await asyncio.Event().wait()

            async def send(message):
                messages.append(message)

            await self._app(scope, receive, send)

        asyncio.run(run())
        return Answer(messages)


def publication_of(answer):
    """The id in the address of a page."""
    return re.search(r"/p/([0-9a-f]{32})/", answer.place)[1]


def version_of(page):
    """The version that a form holds."""
    return re.search(r'name="version" value="(\d+)"', page.text)[1]


def wait_for(condition, seconds=600):
    """Wait until something holds; machines may be busy, so the time is generous and nothing is measured."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    pytest.fail("it did not happen in time")


class _Forms(HTMLParser):
    """The fields of each form as a browser without a script would send them, by the form's address."""

    def __init__(self):
        super().__init__()
        self.forms, self._own, self._select, self._area = {}, None, None, None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        name, kind = given.get("name"), given.get("type")
        if tag == "form":
            self._own = self.forms.setdefault(given["action"], {})
        if self._own is None:
            return
        if tag == "input" and name and kind != "file" and (kind not in {"radio", "checkbox"} or "checked" in given):
            self._own[name] = given.get("value", "")
        elif tag == "select":
            self._select, self._own[name] = name, None
        elif tag == "option" and self._select and (self._own[self._select] is None or "selected" in given):
            self._own[self._select] = given.get("value", "")
            self._area = None if "value" in given else self._select
        elif tag == "textarea":
            self._area, self._own[name] = name, ""

    def handle_endtag(self, tag):
        if tag == "form":
            self._own = None
        elif tag == "select":
            self._select = None
        if tag in {"textarea", "option", "select"}:
            self._area = None

    def handle_data(self, data):
        if self._own is not None and self._area:
            self._own[self._area] += data


def form_of(page, action):
    """What a page's form to an address holds before anybody types."""
    found = _Forms()
    found.feed(page.text)
    return {name: value or "" for name, value in found.forms[action].items() if name != "token"}


def submitted(browser, address, action, **typed):
    """The answer to a form of a page, filled in by somebody who types what is named; `__` stands for a dot."""
    page = browser.get(address)
    form = form_of(page, action) | {name.replace("__", "."): text for name, text in typed.items()}
    return browser.post(action, form=form)
