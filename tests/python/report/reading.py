"""What is read of a page, and of its parts?"""

from __future__ import annotations

import re
from html import unescape


def text_of(html: str) -> str:
    """What is read of a page, with a space between its elements."""
    body = html.partition("<body>")[2]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", body)))


def part(html: str, key: str) -> str:
    """The text of a part."""
    return text_of("<body>" + html.partition(f'<section id="{key}"')[2].partition("</section>")[0])
