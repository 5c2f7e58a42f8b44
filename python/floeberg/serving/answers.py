"""How are answers written, and lists in pages?

In: what an endpoint found. Out: a response.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from floeberg.catalog.names import Identifier

__all__ = ["JSON", "done", "json_answer", "named", "page", "text_answer"]

JSON = "application/json"


def done() -> Response:
    """The answer without content."""
    return Response(status_code=204)


def json_answer(content: object) -> Response:
    """The answer with an object."""
    return Response(json.dumps(content), media_type=JSON)


def text_answer(
    members: Mapping[str, Any], name: str, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer with an object, of which one member is JSON text that stays as it is."""
    before = json.dumps(members)[:-1]
    comma = ", " if members else ""
    return Response(f"{before}{comma}{json.dumps(name)}: {text}}}", headers=headers, media_type=JSON)


def named(identifier: Identifier) -> dict[str, object]:
    """An identifier, as answers have it."""
    return {"namespace": list(identifier[:-1]), "name": identifier[-1]}


def page(
    found: Iterable[Sequence[str]],
    query: Mapping[str, str],
    name: str,
    shown: Callable[[tuple[str, ...]], object],
) -> Response:
    """A list, or the page of it that is asked for.

    Args:
        found: What is listed: names in levels.
        query: The parameters `pageToken` and `pageSize`.
        name: The member of the answer.
        shown: How one of them is written.

    Raises:
        InvalidInputError: A parameter is wrong.
    """
    names = sorted(map(tuple, found))
    token, size = query.get("pageToken"), query.get("pageSize")
    if size is not None and not (size.isascii() and size.isdigit() and int(size[:9]) > 0):
        raise InvalidInputError(f"pageSize: expected a whole number from 1 on, found {size[:100]!r}")
    if token is None:
        # Who does not ask for pages gets everything, whatever size a page would have.
        more = {} if size is None else {"next-page-token": None}
        return json_answer({name: [shown(each) for each in names], **more})
    if token:
        after = _after(token)
        # By what was last: names may come and go between two pages.
        names = [each for each in names if each > after]
    most = 1000 if size is None else int(size[:9])
    following = _token(names[most - 1]) if len(names) > most else None
    return json_answer({name: [shown(each) for each in names[:most]], "next-page-token": following})


def _token(last: tuple[str, ...]) -> str:
    return base64.urlsafe_b64encode(json.dumps(last).encode()).decode()


def _after(token: str) -> tuple[str, ...]:
    try:
        found = json.loads(base64.urlsafe_b64decode(token.encode("ascii")))
    except (ValueError, RecursionError) as error:
        raise InvalidInputError("pageToken: expected a token of this server") from error
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise InvalidInputError("pageToken: expected a token of this server")
    return tuple(found)
