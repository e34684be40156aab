"""Who may ask the studio anything: only the owner's browser, from the studio's own pages.

- The server listens on the loopback address only, and answers only to its own name there (a foreign name that was pointed at
  this machine is refused).
- The link in the terminal works once. It gives the browser a cookie that scripts cannot read and that is not sent with requests
  that come from other sites. Without the cookie there is nothing to see.
- Whatever changes something must come from the studio's own origin, and hold the token that is in its forms.
- Pages may load nothing but the studio's own style and script, and nobody may frame them.
"""

from __future__ import annotations

import asyncio
import hmac
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tacita.privacy.randomness import token

__all__ = ["UPLOAD", "Guard", "Secrets"]

OPEN, UPLOAD = "/open", "/upload"
LARGEST_FORM, MOST_FIELDS, FORM_SECONDS = 16 * 2**20, 1000, 30
"""Bounds of a form: its bytes, its fields, and how long it may take to arrive on the same machine."""

_ENTRANCE = '<!DOCTYPE html><meta http-equiv="refresh" content="0;url=/"><title>Tacita</title><a href="/">Open the studio</a>'
ICON = "/favicon.ico"
SAFE = {"GET", "HEAD"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "frame-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",  # with none at all, browsers would not say where a form comes from
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Secrets:
    """What a browser must show; new whenever the studio starts, and kept in memory only."""

    def __init__(self) -> None:
        """Draw them."""
        self._link: str | None = token() + token()
        self.cookie, self.form = token() + token(), token() + token()

    @property
    def link(self) -> str:
        """The token of the link in the terminal; empty once it was used."""
        return self._link or ""

    def use_link(self, shown: str) -> bool:
        """Whether it is the token of the link; it is never accepted again."""
        if self._link is None or not hmac.compare_digest(shown.encode(), self._link.encode()):
            return False
        self._link = None
        return True


class Guard:
    """Middleware in front of every page."""

    def __init__(self, app: ASGIApp, *, secrets: Secrets, port: int) -> None:
        """Protect an application that listens on a port of the loopback address."""
        self._app, self._secrets, self._port = app, secrets, port
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        refusal = self._refusal(request.headers, request)
        if refusal is not None:
            await _with_headers(refusal, scope, receive, send)
            return
        if request.url.path == OPEN:
            await _with_headers(self._opened(request), scope, receive, send)
            return
        if request.method not in SAFE:
            form, refusal = await self._form(request)
            if refusal is not None:
                await _with_headers(refusal, scope, receive, send)
                return
            scope.setdefault("state", {})["form"] = form
        await _with_headers(self._app, scope, receive, send)

    def _refusal(self, headers: Headers, request: Request) -> Response | None:
        if headers.get("host", "") not in self._hosts or len(headers.getlist("host")) != 1:
            return PlainTextResponse("the studio answers only to its own address", 421)
        if request.url.path == ICON and request.method == "GET":
            return Response(status_code=204)  # a browser asks for it when it likes, and would call anything else an error
        if request.method not in SAFE:
            is_own = headers.get("origin") in {f"http://{host}" for host in self._hosts}
            if not is_own or headers.get("sec-fetch-site", "same-origin") != "same-origin":
                return PlainTextResponse("this did not come from a page of the studio", 403)
        if request.url.path == OPEN and request.method == "GET":
            return None
        if not hmac.compare_digest(self._cookie(headers).encode(), self._secrets.cookie.encode()):
            return PlainTextResponse("open the link that the terminal shows; start the studio again for a new one", 401)
        return None

    @property
    def _cookie_name(self) -> str:
        return f"tacita-studio-{self._port}"  # cookies are shared by all ports of a machine

    def _cookie(self, headers: Headers) -> str:
        """The value of the one cookie that counts; Python's own parser takes seconds for some that anybody can send."""
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == self._cookie_name:
                return value
        return ""

    def _opened(self, request: Request) -> Response:
        if not self._secrets.use_link(request.query_params.get("token", "")):
            return PlainTextResponse("this link was used already, or is not the one that the terminal shows", 403)
        response = HTMLResponse(_ENTRANCE)  # not a redirect: what another page began would come without the cookie
        response.set_cookie(self._cookie_name, self._secrets.cookie, httponly=True, samesite="strict")
        return response

    async def _form(self, request: Request) -> tuple[dict[str, str], Response | None]:
        """What was typed; an upload is read by its page, and shows the token in a header."""
        if request.url.path == UPLOAD:
            shown, form = request.headers.get("x-studio-token", ""), {}
        else:
            body = bytearray()
            try:
                async with asyncio.timeout(FORM_SECONDS):
                    async for part in request.stream():
                        body += part
                        if len(body) > LARGEST_FORM:
                            return {}, PlainTextResponse("the form is too large; put the text into a file", 413)
                text = body.decode("utf-8", errors="replace")
                form = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
            except TimeoutError:
                return {}, PlainTextResponse("the form did not arrive in time", 408)
            except ValueError:
                return {}, PlainTextResponse("the form has too many fields", 413)
            shown = form.pop("token", "")
        if not hmac.compare_digest(shown.encode(), self._secrets.form.encode()):
            return {}, PlainTextResponse("this form is not one of this studio; open the page again", 403)
        return form, None


async def _with_headers(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the headers of every page; a page may have a stricter policy of its own."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            for name, value in {**HEADERS, "Content-Security-Policy": POLICY}.items():
                headers.setdefault(name, value)
        await send(message)

    arguments: tuple[Any, ...] = (scope, receive, sending)
    await app(*arguments)
