"""How much may a request of a server be, and how long may it take?

In: the body of a request as it arrives. Out: a JSON object, or an error before more is read.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from floeberg.errors import InvalidInputError
from floeberg.serving.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request

__all__ = ["Limits", "check_headers", "json_object", "read_body"]

_TOO_LARGE, _TOO_SLOW, _TOO_MANY_HEADERS = 413, 408, 431


@dataclass(frozen=True)
class Limits:
    """What a request may cost.

    Attributes:
        body_bytes: The largest body.
        body_seconds: How long a body may take to arrive.
        header_bytes: The largest request line with its headers.
        header_seconds: How long these may take to arrive.
        idle_seconds: How long a connection stays open that asks for nothing.
        connections: The most connections at a time.
        plan_seconds: How long the answer waits for a plan: then it is `submitted`.
        plan_tasks: The most tasks in an answer: a larger plan has pages.
        plans_under_way: The most plans that are made at a time.
        plans: The most plans that are kept.
        plan_bytes: About how much memory the plans that are kept may have. The newest is kept in any case.
        plan_idle_seconds: How long a plan is kept that nobody asks for.
    """

    body_bytes: int = 32 << 20
    body_seconds: float = 30.0
    header_bytes: int = 64 << 10
    header_seconds: float = 10.0
    idle_seconds: float = 60.0
    connections: int = 256
    plan_seconds: float = 10.0
    plan_tasks: int = 5000
    plans_under_way: int = 8
    plans: int = 64
    plan_bytes: int = 512 << 20
    plan_idle_seconds: float = 600.0


def check_headers(headers: Iterable[tuple[bytes, bytes]], limits: Limits) -> None:
    """Raises `RefusedError` where headers are too large, though they came at once."""
    if sum(len(name) + len(value) for name, value in headers) > limits.header_bytes:
        raise RefusedError(
            _TOO_MANY_HEADERS,
            "RequestTooLargeException",
            f"the headers of the request are larger than {limits.header_bytes} bytes, the most that this server takes",
        )


async def read_body(request: Request, limits: Limits) -> bytes:
    """The body of a request.

    Raises:
        RefusedError: It is too large, or arrives too slowly.
    """
    claimed = request.headers.get("content-length", "")
    if claimed.isascii() and claimed.isdigit() and len(claimed) > len(str(limits.body_bytes)):
        raise _too_large(limits)
    parts: list[bytes] = []
    ends, size = time.monotonic() + limits.body_seconds, 0
    stream = request.stream().__aiter__()
    while True:
        try:
            part = await asyncio.wait_for(anext(stream), max(ends - time.monotonic(), 0.0))
        except StopAsyncIteration:
            return b"".join(parts)
        except (TimeoutError, asyncio.TimeoutError) as error:
            raise RefusedError(
                _TOO_SLOW,
                "RequestTimeoutException",
                f"the body of the request did not arrive within {limits.body_seconds:g} s",
            ) from error
        size += len(part)
        if size > limits.body_bytes:
            raise _too_large(limits)
        parts.append(part)


def json_object(body: bytes) -> dict[str, Any]:
    """The object that a body is.

    Raises:
        InvalidInputError: The body is not the JSON of an object.
    """
    try:
        found = json.loads(body.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_members)
        if b"\\u" in body:
            # A half of a pair of surrogates is no text.
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except RecursionError as error:
        raise InvalidInputError("the body of the request is nested too deeply") from error
    except ValueError as error:
        raise InvalidInputError(f"the body of the request is not JSON: {str(error)[:200]}") from error
    if not isinstance(found, dict):
        raise InvalidInputError(f"the body of the request is not a JSON object: found {type(found).__name__}")
    return found


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise ValueError(f"the member {name[:100]!r} is there twice")
        members[name] = value
    return members


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def _too_large(limits: Limits) -> RefusedError:
    return RefusedError(
        _TOO_LARGE,
        "RequestTooLargeException",
        f"the body of the request is larger than {limits.body_bytes} bytes, the most that this server takes",
    )
