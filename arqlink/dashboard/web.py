# SPDX-License-Identifier: Apache-2.0
"""The dashboard's server: the page, and a WebSocket that pushes what a view says and takes what its user wants.

A view has hello(), look() and steer(text); dashboard/view.py is one. The server runs in a thread. It is for this machine alone; elsewhere it asks for a
token. It answers no page of another site: such a page cannot know the Host of this server (DNS rebinding), nor have its Origin."""

import asyncio
import hmac
import ipaddress
import json
import os
import secrets
import socket
import sys
import threading
import time
from collections import deque
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocketDisconnect

from arqlink.errors import UserError
from arqlink.pages import chart_library

PAGE = Path(__file__).parent / "page"
EVERY = 0.25
"""Seconds between two messages."""
HISTORY = 240
"""Messages that a new page gets at once: the last minute."""
PAGES = 8
"""That may be open."""
BURST, PER_SECOND, FLOOD = 20, 10, 200
"""Messages of a page: at once, in the long run, and beyond both before it is shut out."""
FAREWELL = 0.5
"""Seconds for a page to read how the link ended."""
FRAME_BYTES = 1 << 16
"""Longer messages end the connection unread."""
INHERITED = "ARQLINK_WEB_SOCKET"
"""Number of the open socket, where the command begins anew in a network namespace of its own."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def listen(host, port):
    """A socket for a Server; it stays in this network namespace, whatever this process does later."""
    if INHERITED in os.environ:
        taken = socket.socket(fileno=int(os.environ.pop(INHERITED)))
        taken.set_inheritable(False)
        return taken
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, OverflowError, UnicodeError) as error:
        raise UserError(f"The dashboard cannot be at port {port} of '{host}': {getattr(error, 'strerror', None) or error}.") from None


def hand_over(listener):
    """To the program that this process becomes next."""
    listener.set_inheritable(True)
    os.environ[INHERITED] = str(listener.fileno())


class Server:
    """Runs as long as it is entered. `url`: of the page, with the token where it needs one. `host`: a name that it has, too."""

    def __init__(self, view, listener, host="127.0.0.1"):
        address, self.port = listener.getsockname()[:2]
        is_here = ipaddress.ip_address(address).is_loopback
        self.token = None if is_here else secrets.token_urlsafe(16)
        self._names = {"localhost"} if is_here else {"localhost", host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
        self._is_here = is_here
        name = socket.gethostname() if ipaddress.ip_address(address).is_unspecified else address
        self.url = f"http://{f'[{name}]' if ':' in name else name}:{self.port}/" + (f"?token={self.token}" if self.token else "")
        self._view, self._listener = view, listener
        self._pages, self._history = set(), deque(maxlen=HISTORY)
        self._ended, self._told = {}, threading.Event()
        for name in chart_library.PINNED["files"]:
            chart_library.text(Path(name).name)
        config = uvicorn.Config(
            self._application(), log_config=None, log_level="error", access_log=False, server_header=False, ws="websockets-sansio", ws_max_size=FRAME_BYTES,
            ws_per_message_deflate=False, timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join(5.0)
        self._listener.close()

    def finish(self):
        """Waits until all pages have heard how the link ended; its view has to say so. A page that does not read holds up nothing."""
        self._told.wait(2 * EVERY + FAREWELL)

    def _application(self):
        folders = {"page": PAGE, "shared": chart_library.HERE / "shared", "vendor": chart_library.FOLDER}
        routes = [Route("/", self._index), WebSocketRoute("/live", self._live)]
        routes += [Mount(f"/{name}", StaticFiles(directory=folder)) for name, folder in folders.items()]

        @asynccontextmanager
        async def lifespan(_):
            pushing = asyncio.create_task(self._push())
            yield
            pushing.cancel()

        return _Guard(Starlette(routes=routes, lifespan=lifespan), self._refusal)

    # Who may come in ---------------------------------------------------------------------------------------------------------------

    def _refusal(self, headers):
        """A sentence about the Host or the Origin of a request; None: it may come in."""
        host = headers.get("host", "")
        try:
            asked = urlsplit(f"//{host}")
            is_known = self._is_known(asked.hostname or "") and (asked.port or 80) == self.port
        except ValueError:
            is_known = False
        if not is_known:
            return "This server has another name."
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return "Pages of other sites may not talk to this server."
        return None

    def _is_known(self, name):
        """An address needs no name server, so nobody can bend it; elsewhere than here any is right."""
        if name in self._names:
            return True
        try:
            return ipaddress.ip_address(name).is_loopback or not self._is_here
        except ValueError:
            return False

    def _has_token(self, query):
        return self.token is None or hmac.compare_digest(query.get("token", "").encode(), self.token.encode())

    # What they get -----------------------------------------------------------------------------------------------------------------

    async def _index(self, request):
        if not self._has_token(request.query_params):
            return PlainTextResponse("The address of this page has a token, which is not the right one.", 403)
        return Response((PAGE / "index.html").read_bytes(), media_type="text/html")

    async def _push(self):
        due = time.monotonic()
        while True:
            try:
                sample = await asyncio.to_thread(self._view.look)
                self._tell({"sample": sample})
                self._history.append(_short(sample))
            except Exception as error:  # a task that ends with it would say nothing to anybody
                self._ended = {"ended": _sentence(error)}
                self._tell(self._ended)
                await self._farewell()
                return
            due = max(due + EVERY, time.monotonic())
            await asyncio.sleep(due - time.monotonic())

    def _tell(self, message):
        text = _text(message)
        for page in self._pages:
            page.offer(text)

    async def _farewell(self):
        end = time.monotonic() + FAREWELL
        while any(page.is_behind for page in self._pages) and time.monotonic() < end:
            await asyncio.sleep(0.02)
        self._told.set()

    async def _live(self, websocket):
        if not self._has_token(websocket.query_params):
            await websocket.send_denial_response(PlainTextResponse("The token is not the right one.", 403))
            return
        if len(self._pages) >= PAGES:
            await websocket.send_denial_response(PlainTextResponse(f"{PAGES} pages are open; there may be no more.", 503))
            return
        page = Page(websocket, self._view)
        self._pages.add(page)
        try:
            await websocket.accept()
            await page.run(_text({"hello": self._view.hello(), "history": list(self._history), **self._ended}))
        except (WebSocketDisconnect, RuntimeError):
            pass  # it has gone, perhaps in the middle of a message to it
        finally:
            self._pages.discard(page)


class _Guard:
    """Refuses requests for other names or from other sites, and gives all answers the HEADERS."""

    def __init__(self, application, refusal):
        self._application, self._refusal = application, refusal

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            return await self._application(scope, receive, send)
        names = [name.decode("latin-1") for name, _ in scope["headers"]]
        headers = {name: value.decode("latin-1") for name, (_, value) in zip(names, scope["headers"])}
        sentence = self._refusal(headers)
        if names.count("host") > 1 or names.count("origin") > 1:
            sentence = "A header comes twice."

        async def send_with_headers(message):
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                message["headers"] = [*message["headers"], *((name.lower().encode(), value.encode()) for name, value in HEADERS.items())]
            await send(message)

        if sentence is None:
            return await self._application(scope, receive, send_with_headers)
        if scope["type"] == "websocket":
            await receive()
        return await PlainTextResponse(sentence, 403)(scope, receive, send_with_headers)


class Page:
    """A page that is open. What is pushed waits for a slow one; then the oldest goes."""

    def __init__(self, websocket, view):
        self._websocket, self._view = websocket, view
        self.waiting, self._is_new = deque(maxlen=8), asyncio.Event()
        self._sending = asyncio.Lock()

    def offer(self, text):
        self.waiting.append(text)
        self._is_new.set()

    @property
    def is_behind(self):
        """Something waits, or is being sent."""
        return bool(self.waiting) or self._sending.locked()

    async def run(self, greeting):
        """`greeting` is of now, and has all that was offered before."""
        self.waiting.clear()
        await self._send(greeting)
        tasks = [asyncio.create_task(task) for task in (self._send_all(), self._take_all())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _send(self, text):
        async with self._sending:
            await self._websocket.send_text(text)

    async def _send_all(self):
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            while self.waiting:
                await self._send(self.waiting.popleft())

    async def _take_all(self):
        allowed, last, flood = float(BURST), time.monotonic(), 0
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            now = time.monotonic()
            allowed, last = min(BURST, allowed + PER_SECOND * (now - last)), now
            if allowed < 1:
                flood += 1
                if flood > FLOOD:
                    with suppress(RuntimeError):
                        await self._websocket.close(1008, "Too many messages.")
                    return
                answer = {"refused": f"Too many messages; {PER_SECOND} a second are read."}
            else:
                allowed, flood = allowed - 1, 0
                answer = await self._answer(message.get("text"))
            await self._send(_text(answer))

    async def _answer(self, text):
        if text is None:
            return {"refused": "A message is text, not binary."}
        try:
            return {"done": await asyncio.to_thread(self._view.steer, text)}
        except Exception as error:
            return {"refused": _sentence(error)}


def _sentence(error):
    """Why something ends, or is refused, for whom the page is shown to. What should not have happened is told to the terminal as well."""
    if isinstance(error, UserError):
        return str(error)
    sentence = f"The dashboard has an error, which is a bug of it: {error!r}."
    print(sentence, file=sys.stderr, flush=True)
    return sentence


def _short(sample):
    """What the charts of a new page need of a message."""
    return {name: sample[name] for name in ("time", "seconds", "at", "span", "directions")}


def _text(message):
    return json.dumps(message, allow_nan=False, separators=(",", ":"))
