"""What did a check of a catalog find?"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from floeberg._display import rows_html, shown

if TYPE_CHECKING:
    from floeberg.errors import FloebergError

__all__ = ["CatalogCheck", "CatalogCheckStep"]


@dataclass(frozen=True)
class CatalogCheckStep:
    """One step of reaching a catalog or its store.

    Args:
        name: The name of the step, such as `dns` or `put-if-absent`.
        ok: Whether it succeeded; `None` where it was skipped.
        seconds: How long it took.
        detail: What was found, a line each. Of a skipped step, the reason.
        error: Why it failed.
        fix: What to do about that.
    """

    name: str
    ok: bool | None
    seconds: float = 0.0
    detail: str = ""
    error: FloebergError | None = field(default=None, compare=False)
    fix: str = ""

    @property
    def outcome(self) -> str:
        """`ok`, `failed` or `skipped`."""
        return "skipped" if self.ok is None else "ok" if self.ok else "failed"

    def _lines(self) -> list[str]:
        """What there is to say, without secrets."""
        lines = self.detail.splitlines()
        if self.error is not None:
            lines.append(f"{type(self.error).__name__}: {self.error}")
        if self.fix:
            lines.append(f"fix: {self.fix}")
        return lines


@dataclass(frozen=True, repr=False)
class CatalogCheck:
    """What a check of a catalog found, a step each.

    Args:
        catalog: The name of the catalog.
        kind: The name of its class.
        steps: The steps, in order.

    Examples:
        >>> found = catalog.check()
        >>> found.ok, found.step("put-if-absent").ok
        (True, True)
        >>> [step.name for step in found.steps][:2]
        ['configuration', 'dns']
    """

    catalog: str
    kind: str
    steps: tuple[CatalogCheckStep, ...]

    @property
    def ok(self) -> bool:
        """Whether no step failed. Skipped steps count as neither."""
        return self.failure is None

    @property
    def failure(self) -> CatalogCheckStep | None:
        """The first step that failed."""
        return next((each for each in self.steps if each.ok is False), None)

    def step(self, name: str) -> CatalogCheckStep:
        """The step of a name.

        Raises:
            KeyError: There is no such step.
        """
        for each in self.steps:
            if each.name == name:
                return each
        raise KeyError(name)

    def raise_for_failure(self) -> CatalogCheck:
        """Raises the error of the first step that failed.

        Returns:
            This check, where no step failed.

        Raises:
            FloebergError: The error of the step, which also says what to do.
        """
        failed = self.failure
        if failed is None or failed.error is None:
            return self
        error = failed.error
        text = f"the check of the catalog {self.catalog!r} failed at {failed.name!r}: {error.message}"
        fix = f". {failed.fix}" if failed.fix else ""
        raise type(error)(text + fix, context=error.context, retryable=error.retryable) from error

    def __repr__(self) -> str:
        """A line for each step, and below it what was found."""
        failed = self.failure
        end = "no step failed" if failed is None else f"failed at {failed.name!r}"
        widest = max((len(each.name) for each in self.steps), default=0)
        lines = [f"CatalogCheck({shown(self.catalog)!r}, {self.kind}): {end}"]
        for each in self.steps:
            first, *more = [shown(line) for line in each._lines()] or [""]  # noqa: SLF001 - its own part
            time = f"{each.seconds:7.3f} s" if each.ok is not None else " " * 9
            head = f"  {each.outcome:7}  {each.name:{widest}}  {time}  "
            lines.append((head + first).rstrip())
            lines += [" " * len(head) + line for line in more]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        title = f"<strong>{escape(shown(self.catalog))} ({escape(self.kind)})</strong>"
        rows = (
            (each.outcome, each.name, f"{each.seconds:.3f}", "; ".join(each._lines()))  # noqa: SLF001
            for each in self.steps
        )
        return f"<div>{title}{rows_html(('outcome', 'step', 'seconds', 'detail'), rows)}</div>"
