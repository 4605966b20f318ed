"""Who may ask the studio: this machine's browser that was given the token, from the studio's own page, and nobody else.

A server on 127.0.0.1 can be reached by any page that the same browser shows. So every request needs the token (in the address at
first, in a cookie from then on, which other sites cannot send), must name this server as its host (against names that are pointed
at 127.0.0.1), and must not come from another origin.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

REFUSED = "This studio belongs to somebody else's browser; open the address that `multigene studio` printed."
#: What a page of the studio may do; the nonce is for its own scripts.
POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Access:
    """Middleware that lets through what may pass."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self.origins = {f"http://{host}" for host in self.hosts}
        self.cookie = f"multigene-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(16)
        scope["nonce"] = nonce

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                kept = any(key == b"cache-control" for key, _ in message["headers"])
                message["headers"] = [
                    *message["headers"],
                    *([] if kept else [(b"cache-control", b"no-store")]),
                    (b"content-security-policy", POLICY.format(nonce=nonce).encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cross-origin-resource-policy", b"same-origin"),
                ]
            await send(message)

        await self.app(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> ASGIApp | None:
        """What is answered instead, or None where the request may pass."""
        if headers.get("host") not in self.hosts:
            return PlainTextResponse("This is not a name of this server.", 421)
        if headers.get("origin", next(iter(self.origins))) not in self.origins:
            return PlainTextResponse("Requests of other pages are refused.", 403)
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return PlainTextResponse("Requests of other pages are refused.", 403)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and self._right(given):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
            return answer
        if not self._right(self._kept(headers.get("cookie", ""))):
            return PlainTextResponse(REFUSED, 403)
        return None

    def _right(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _kept(self, text: str) -> str:
        try:
            found = SimpleCookie(text).get(self.cookie)
        except CookieError:
            return ""
        return "" if found is None else found.value
