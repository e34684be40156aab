"""The web application: routes, templates, events as they happen, downloads; served on the loopback address only."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvicorn
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from tacita.errors import ChangedElsewhereError, TacitaError
from tacita.pictures.svg import PAGE_STYLE
from tacita.privacy.budget import decimal_text
from tacita.privacy.drafts import appearing
from tacita.studio.guard import UPLOAD, Guard, Secrets
from tacita.studio.pages import REPORTS, Preview, Studio, as_refusal
from tacita.studio.recommending import ledger_picture
from tacita.studio.workspace import Publication, Workspace

__all__ = ["application", "serve"]

LOOPBACK = "127.0.0.1"
PAUSE_SECONDS = 0.25
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "sandbox allow-modals"
)
"""For a report, which holds its style and allows it by hash in a policy of its own. It has no script, and may be printed."""


class Pages:
    """Handlers; those that are not `async` run in threads, so that a slow command does not hold up other tabs."""

    def __init__(self, studio: Studio, secrets: Secrets) -> None:
        """Show a studio."""
        self._studio, self._secrets = studio, secrets
        loader = PackageLoader("tacita.studio", "templates")
        self._templates = Environment(loader=loader, autoescape=select_autoescape(), undefined=StrictUndefined, trim_blocks=True)
        self._templates.filters["amount"] = decimal_text
        mark = resources.files("tacita.pictures").joinpath("templates", "mark.svg").read_text(encoding="utf-8")
        self._templates.globals.update(ledger_picture=ledger_picture, mark=mark)

    def routes(self) -> list[Route | Mount]:
        """All pages."""
        static = StaticFiles(packages=[("tacita.studio", "static")])
        get: list[tuple[str, Callable[..., Any]]] = [
            ("/", self.home),
            ("/style.css", self.style),
            ("/new", self.new),
            ("/ledger", self.ledger),
            ("/p/{id}/data", self.data),
            ("/p/{id}/compare", self.compare),
            ("/p/{id}/compare/pictures", self.pictures),
            ("/p/{id}/compare/events", self.compare_events),
            ("/p/{id}/publish", self.publish),
            ("/p/{id}/result", self.result),
            ("/p/{id}/result/events", self.result_events),
            ("/p/{id}/report/events", self.report_events),
            ("/p/{id}/verify/events", self.verify_events),
            ("/p/{id}/report/{which}", self.report),
            ("/p/{id}/download", self.download),
        ]
        post: list[tuple[str, Callable[..., Any]]] = [
            ("/new", self.begin),
            (UPLOAD, self.upload),
            ("/ledger", self.set_cap),
            ("/p/{id}/data", self.save_data),
            ("/p/{id}/draft", self.draft),
            ("/p/{id}/rows", self.rows),
            ("/p/{id}/kind", self.change_kind),
            ("/p/{id}/take-over", self.take_over),
            ("/p/{id}/compare", self.save_compare),
            ("/p/{id}/choose", self.choose),
            ("/p/{id}/publish", self.save_publish),
            ("/p/{id}/cancel", self.cancel),
            ("/p/{id}/mend", self.mend),
            ("/p/{id}/again", self.again),
            ("/p/{id}/verify", self.verify),
            ("/p/{id}/report", self.make_report),
        ]
        return [
            *(Route(path, handler, methods=["GET"]) for path, handler in get),
            *(Route(path, handler, methods=["POST"]) for path, handler in post),
            Mount("/static", static),
        ]

    def _page(self, template: str, *, status: int = 200, **shown: Any) -> Response:  # noqa: ANN401 - whatever it shows
        shown = {
            "token": self._secrets.form,
            "version": version("tacita"),
            "refusal": "",
            "remedy": None,
            "publication": None,
        } | shown
        return HTMLResponse(self._templates.get_template(template).render(**shown), status)

    def _publication(self, request: Request) -> Publication:
        return self._studio.publications.find(request.path_params["id"])

    def refused(self, _request: Request, error: Exception) -> Response:
        """A refusal that no page shows itself."""
        text = as_refusal(error) if isinstance(error, TacitaError) else "this page does not exist"
        return self._page("refused.html", status=404, refusal=text)

    def style(self, _request: Request) -> Response:
        """The style of all pages of Tacita, and that of the studio's forms."""
        own = (resources.files("tacita.studio") / "static" / "studio.css").read_text(encoding="utf-8")
        return Response(PAGE_STYLE + own, media_type="text/css")

    # lists

    def home(self, _request: Request) -> Response:
        return self._page("home.html", form={}, ask_kind=False, folder=str(self._studio.workspace.folder), **self._studio.home())

    def ledger(self, _request: Request, *, refusal: str = "", status: int = 200) -> Response:
        return self._page("ledger.html", status=status, refusal=refusal, **self._studio.ledger())

    def set_cap(self, request: Request) -> Response:
        form = request.state.form
        try:
            self._studio.set_cap(form)
        except TacitaError as error:
            return self.ledger(request, refusal=as_refusal(error), status=422)
        back = form.get("back", "")
        return _to(f"/p/{self._studio.publications.find(back).id}/publish" if back else "/ledger")

    # a new publication

    def new(self, _request: Request, *, refusal: str = "", status: int = 200, form: Any = None) -> Response:  # noqa: ANN401
        shown = {"form": form or {}, "ask_kind": form is not None, **self._studio.choices()}
        return self._page("new.html", status=status, refusal=refusal, **shown)

    def begin(self, request: Request) -> Response:
        try:
            made = self._studio.files.begin(request.state.form)
        except TacitaError as error:
            return self.new(request, refusal=as_refusal(error), status=422, form=request.state.form)
        return _to(f"/p/{made.id}/data")

    async def upload(self, request: Request) -> Response:
        """A file from the browser, copied into the studio's folder as it arrives."""
        try:
            path = self._studio.workspace.new_file(request.query_params.get("name", ""))
            with appearing(path, what="the file cannot be kept in", is_file=True) as draft, draft.open("wb") as file:
                async for part in request.stream():
                    await run_in_threadpool(file.write, part)
        except TacitaError as error:
            return JSONResponse({"refusal": as_refusal(error)}, 422)
        return JSONResponse({"file": self._studio.workspace.short(path)})

    # one publication

    def data(self, request: Request, *, typed: Publication | None = None, **more: Any) -> Response:  # noqa: ANN401 - what it shows too
        """How the file is read; `typed` is what a form held that could not be kept."""
        publication = self._publication(request)
        if publication.has_begun:
            return _to(f"/p/{publication.id}/result")
        shown = {"rows": None, "show_missing": "missing" in request.query_params, **self._studio.files.data(typed or publication)}
        return self._page("data.html", publication=typed or publication, **(shown | more))

    def _typed(self, request: Request) -> Publication | None:
        """What a form holds, for a page that keeps all answers."""
        try:
            return self._studio.files.drafted(request.path_params["id"], request.state.form)
        except TacitaError:
            return None

    def draft(self, request: Request) -> Response:
        """What the page would write if it were confirmed now."""
        publication = self._studio.files.drafted(request.path_params["id"], request.state.form)
        shown = self._studio.files.written(publication, self._studio.files.seen(publication))
        return self._page("aside.html", config=publication.config, **shown)

    def rows(self, request: Request) -> Response:
        typed = self._typed(request)
        try:
            return self.data(request, typed=typed, rows=self._studio.files.rows(self._publication(request)))
        except TacitaError as error:
            return self.data(request, typed=typed, refusal=as_refusal(error), status=422)

    def change_kind(self, request: Request) -> Response:
        try:
            saved = self._studio.files.change_kind(request.path_params["id"], request.state.form)
        except TacitaError as error:
            return self.data(request, refusal=as_refusal(error), status=_status(error))
        return _to(f"/p/{saved.id}/data")

    def take_over(self, request: Request) -> Response:
        try:
            saved = self._studio.files.take_over(request.path_params["id"])
        except TacitaError as error:
            return self.data(request, refusal=as_refusal(error), status=_status(error))
        return _to(f"/p/{saved.id}/data")

    def save_data(self, request: Request) -> Response:
        """Keep everything that was typed; what is missing is asked for on the same page."""
        try:
            saved = self._studio.files.save_data(request.path_params["id"], request.state.form)
        except ChangedElsewhereError as error:
            return self.data(request, refusal=as_refusal(error), status=409)
        except TacitaError as error:
            return self.data(request, typed=self._typed(request), refusal=as_refusal(error), status=422)
        if request.state.form.get("do") == "save":
            return _to("/")
        return _to(f"/p/{saved.id}/compare" if saved.is_mapped else f"/p/{saved.id}/data?missing#missing")

    def _unmapped(self, publication: Publication) -> Response | None:
        """Where to go first, if the file cannot be read yet or is published already."""
        if publication.has_begun:
            return _to(f"/p/{publication.id}/result")
        if self._studio.files.missing(publication):
            return _to(f"/p/{publication.id}/data?missing#missing")
        return None

    def compare(self, request: Request, **more: Any) -> Response:  # noqa: ANN401 - what the page shows too
        publication = self._publication(request)
        elsewhere = self._unmapped(publication)
        if elsewhere is not None:
            return elsewhere
        return self._page("compare.html", publication=publication, **(self._studio.comparison(publication) | more))

    def save_compare(self, request: Request) -> Response:
        try:
            saved = self._studio.save_comparison(request.path_params["id"], request.state.form)
        except TacitaError as error:
            return self.compare(request, refusal=as_refusal(error), status=_status(error))
        return _to(f"/p/{saved.id}/compare")

    def choose(self, request: Request) -> Response:
        """Keep a method and an epsilon, and go on to what they would promise and cost."""
        try:
            saved = self._studio.save_comparison(request.path_params["id"], request.state.form)
        except TacitaError as error:
            return self.compare(request, refusal=as_refusal(error), status=_status(error))
        return _to(f"/p/{saved.id}/publish")

    def pictures(self, request: Request) -> Response:
        """The part of the comparison that changes while forecasts arrive."""
        publication = self._publication(request)
        return self._page("pictures.html", publication=publication, **self._studio.comparison(publication))

    def publish(self, request: Request, *, preview: Preview | None = None, **more: Any) -> Response:  # noqa: ANN401 - as above
        publication = self._publication(request)
        elsewhere = self._unmapped(publication)
        if elsewhere is not None:
            return elsewhere
        if not self._studio.is_chosen(publication):
            return _to(f"/p/{publication.id}/compare#choice")
        try:
            shown = self._studio.publishing(publication, preview)
        except ChangedElsewhereError as error:  # the configuration, in an editor: the map offers to take it over
            return self.data(request, refusal=as_refusal(error), status=409)
        return self._page("publish.html", publication=publication, **(shown | more))

    def save_publish(self, request: Request) -> Response:
        """Keep the choice, or publish as it was shown."""
        identity, form = request.path_params["id"], request.state.form
        try:
            if form.get("do") != "publish":
                self._studio.save_choice(identity, form)
                return _to(f"/p/{identity}/publish")
            refused = self._studio.publish(identity, form)
        except TacitaError as error:
            return self.publish(request, refusal=as_refusal(error), status=_status(error))
        return _to(f"/p/{identity}/result") if refused is None else self.publish(request, preview=refused, status=422)

    def result(self, request: Request) -> Response:
        publication = self._publication(request)
        if not publication.has_begun:
            return _to(f"/p/{publication.id}/publish")
        return self._page("result.html", publication=publication, **self._studio.result(publication))

    def cancel(self, request: Request) -> Response:
        self._studio.cancel(request.path_params["id"])
        return _to(f"/p/{request.path_params['id']}/result")

    def mend(self, request: Request) -> Response:
        """Take up again what ended without a release."""
        saved = self._studio.mend(request.path_params["id"])
        step = "result" if saved.has_begun else "data" if request.state.form.get("to") == "data" else "publish"
        return _to(f"/p/{saved.id}/{step}")

    def verify(self, request: Request) -> Response:
        self._studio.verify(request.path_params["id"])
        return _to(f"/p/{request.path_params['id']}/result")

    def again(self, request: Request) -> Response:
        return _to(f"/p/{self._studio.files.again(request.path_params['id']).id}/publish")

    def make_report(self, request: Request) -> Response:
        self._studio.make_report(request.path_params["id"])
        return _to(f"/p/{request.path_params['id']}/result")

    def report(self, request: Request) -> Response:
        which = request.path_params["which"]
        path = self._studio.report_page(self._publication(request), which)
        if which not in REPORTS or not path.is_file():
            return self._page("refused.html", status=404, refusal="There is no report yet.")
        return FileResponse(path, headers={"Content-Security-Policy": REPORT_POLICY})

    def download(self, request: Request) -> Response:
        """The release folder as one file."""
        path = self._studio.packed(self._publication(request))
        if path is None:
            return self._page("refused.html", status=404, refusal="There is no release.")
        return FileResponse(path, media_type="application/zip", filename=path.name)

    # events as they happen

    async def result_events(self, request: Request) -> Response:
        publication = await run_in_threadpool(self._publication, request)

        def look() -> tuple[dict[str, Any], bool]:
            job = self._studio.job(publication)
            return job.as_json(), job.state.has_ended

        return _events(request, look)

    async def report_events(self, request: Request) -> Response:
        return await self._job_events(request, "report")

    async def verify_events(self, request: Request) -> Response:
        return await self._job_events(request, "check")

    async def _job_events(self, request: Request, name: str) -> Response:
        publication = await run_in_threadpool(self._publication, request)

        def look() -> tuple[dict[str, Any], bool]:
            job = self._studio.result(publication)[name]
            return job.as_json(), job.state.has_ended

        return _events(request, look)

    async def compare_events(self, request: Request) -> Response:
        publication = await run_in_threadpool(self._publication, request)

        def look() -> tuple[dict[str, Any], bool]:
            waiting = self._studio.forecaster.compare(publication).waiting
            return {"waiting": waiting}, waiting == 0

        return _events(request, look)


def _events(request: Request, look: Callable[[], tuple[dict[str, Any], bool]]) -> Response:
    """What can be seen, whenever it changes, until there is an end; a browser that lost the connection begins again."""

    async def stream() -> AsyncIterator[str]:
        last: dict[str, Any] | None = None
        while not await request.is_disconnected():
            seen, ended = await run_in_threadpool(look)
            if seen != last:
                yield f"event: {'end' if ended else 'news'}\ndata: {json.dumps(seen)}\n\n"
                last = seen
            if ended:
                return
            await asyncio.sleep(PAUSE_SECONDS)

    return StreamingResponse(stream(), media_type="text/event-stream")


def _to(path: str) -> Response:
    return RedirectResponse(path, 303)


def _status(error: TacitaError) -> int:
    return 409 if isinstance(error, ChangedElsewhereError) else 422


def application(studio: Studio, secrets: Secrets, *, port: int) -> Guard:
    """The studio behind its guard."""
    pages = Pages(studio, secrets)
    handlers: dict[Any, Any] = {TacitaError: pages.refused, 404: pages.refused, 405: pages.refused}
    return Guard(Starlette(routes=pages.routes(), exception_handlers=handlers), secrets=secrets, port=port)


def serve(folder: str | Path, *, ledger: str | None, port: int, browse: bool, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C; with port 0, on any port that is free."""
    studio, secrets = Studio(Workspace.at(folder, ledger=ledger)), Secrets()
    listening = _listening(port)
    port = listening.getsockname()[1]
    link = f"http://{LOOPBACK}:{port}/open?token={secrets.link}"
    say(f"the studio of {studio.workspace.folder} is open for one browser on this machine:\n\n  {link}\n\nCtrl-C closes it")
    config = uvicorn.Config(
        application(studio, secrets, port=port), log_level="error", access_log=False, lifespan="off", server_header=False
    )
    config.timeout_graceful_shutdown = 1
    config.limit_concurrency = MOST_CONNECTIONS
    config.http = Impatient
    entrance = studio.workspace.own / "open.html"
    if browse:
        _write_entrance(entrance, link)
        threading.Timer(0.5, webbrowser.open, (entrance.as_uri(),)).start()
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        studio.close()
        entrance.unlink(missing_ok=True)


MOST_CONNECTIONS, SILENT_SECONDS = 200, 10.0
"""A browser keeps a few connections; one that asks for nothing in that time is closed, so that others cannot take all of them."""


class Impatient(H11Protocol):
    """Closes connections whose request does not come."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give it some time."""
        super().connection_made(transport)
        self.loop.call_later(SILENT_SECONDS, self._close_if_silent)

    def _close_if_silent(self) -> None:
        if getattr(self, "cycle", None) is None and not self.transport.is_closing():  # as long as no request came
            self.transport.close()


def _write_entrance(path: Path, link: str) -> None:
    """A page that its owner alone can read and that opens the link: everybody can see the command line of a browser."""
    path.unlink(missing_ok=True)
    text = f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={link}"><title>Tacita</title>'
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def _listening(port: int) -> socket.socket:
    """A socket on the loopback address."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
    except OSError as error:
        message = f"port {port} of this machine cannot be used: {error.strerror or error}; name another with --port"
        raise TacitaError(message) from None
    return listening
