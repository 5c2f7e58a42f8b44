"""How does a chart become a picture?

In: the data and the marks of a chart, as Vega-Lite's JSON has them. Out: SVG in a figure, once for narrow and once for
wide windows, of which the style sheet shows one.

Vega's own library draws, in this process: no browser, no network, no script in the page. A name for screen readers
stands at each picture, and its parts are hidden from them: the same numbers are in a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg._display import Html, escaped
from floeberg.errors import NotInstalledError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["check_installed", "figure"]

_VERSION = "6.4"
_WIDTHS = {"narrow": 316, "wide": 508}
"""Of the whole picture, in pixels: text has about its natural size."""
_FIXED = {"fixed": 316}
"""Of a picture without text."""
_HEIGHT = 210
_FONT = "inherit"
_CONFIG: dict[str, Any] = {
    "aria": False,
    "background": None,
    "padding": 2,
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--muted)",
        "titleColor": "var(--muted)",
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelPadding": 5,
        "labelFont": _FONT,
        "titleFont": _FONT,
    },
    "text": {"font": _FONT, "fontSize": 12, "fill": "var(--muted)"},
}


def check_installed() -> None:
    """Checks that charts can be drawn, before anything is read.

    Raises:
        NotInstalledError: The library is missing.
    """
    try:
        import vl_convert  # noqa: F401, PLC0415 - only reports need it
    except ImportError as error:
        raise NotInstalledError(
            "reports need vl-convert-python: install it by pip install 'floeberg[report]'"
        ) from error


def figure(chart: Mapping[str, Any], label: str, *, height: int = _HEIGHT, has_text: bool = True) -> Html:
    """A chart as SVG.

    Args:
        chart: The chart, without its size and colours.
        label: What it shows, for who does not see it.
        height: Its height in pixels.
        has_text: Whether it is drawn for narrow and for wide windows, since text does not grow with a picture.
    """
    widths = _WIDTHS if has_text else _FIXED
    drawn = "".join(_svg(chart, label, name, width, height) for name, width in widths.items())
    return Html(f"<figure>{drawn}</figure>")


def _svg(chart: Mapping[str, Any], label: str, name: str, width: int, height: int) -> str:
    import vl_convert  # noqa: PLC0415

    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "config": _CONFIG,
        "autosize": {"type": "fit", "contains": "padding"},
        "width": width,
        "height": height,
        **chart,
    }
    # No address is allowed: a chart has its own data.
    svg = vl_convert.vegalite_to_svg(spec, vl_version=_VERSION, allowed_base_urls=[])
    head, _, rest = svg.partition(">")
    return (
        f'{head} class="{name}" role="img" aria-label="{escaped(label)}">'.replace(' class="marks"', "")
        + rest
    )
