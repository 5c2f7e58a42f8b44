"""How are the options of a procedure read? All of them are texts, as in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._arguments import checked_options
from floeberg.errors import InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["ProcedureOptions"]

_MOST = 2**62


class ProcedureOptions:
    """The options that a user gave to a procedure. Each is taken once; what is left at the end does not exist."""

    def __init__(self, procedure: str, options: Mapping[str, str] | None) -> None:
        """Takes the options.

        Raises:
            InvalidInputError: They are not texts by their names.
        """
        self._procedure = procedure
        self._left = dict(checked_options("options", options))

    def size(self, name: str, default: int, least: int) -> int:
        """A whole number of at least `least`.

        Raises:
            InvalidInputError: It is another text.
        """
        text = self._left.pop(name, None)
        if text is None:
            return default
        if not text.strip().isascii() or not text.strip().isdigit() or int(text) < least:
            raise InvalidInputError(
                f"options: expected a whole number of at least {least} for {name!r}, found {text!r}"
            )
        return min(int(text), _MOST)

    def number(self, name: str, default: float, most: float | None = None) -> float:
        """A number above 0, and at most `most`.

        Raises:
            InvalidInputError: It is another text.
        """
        text = self._left.pop(name, None)
        if text is None:
            return default
        try:
            number = float(text)
        except ValueError:
            number = -1
        if not 0 < number <= (float("inf") if most is None else most):
            up_to = "" if most is None else f" and at most {most:g}"
            raise InvalidInputError(f"options: expected a number above 0{up_to} for {name!r}, found {text!r}")
        return number

    def text(self, name: str, default: str) -> str:
        """A text."""
        return self._left.pop(name, default)

    def has(self, name: str) -> bool:
        """Whether an option is given, and was not taken yet."""
        return name in self._left

    def flag(self, name: str) -> bool:
        """`true` or `false`, which is the default.

        Raises:
            InvalidInputError: It is another text.
        """
        text = self._left.pop(name, "false").strip().lower()
        if text not in {"true", "false"}:
            raise InvalidInputError(f"options: expected 'true' or 'false' for {name!r}, found {text!r}")
        return text == "true"

    def sizes(self, target: int) -> dict[str, int]:
        """The sizes in bytes that choose files and groups, by the names that Rust has for them.

        Args:
            target: The size of new files, if the options do not say it.

        Raises:
            InvalidInputError: The sizes contradict each other.
        """
        target = self.size("target-file-size-bytes", target, 1)
        least = self.size("min-file-size-bytes", target * 3 // 4, 0)
        most = self.size("max-file-size-bytes", target * 9 // 5, 1)
        if not least < target < most:
            raise InvalidInputError(
                "options: expected min-file-size-bytes < target-file-size-bytes < max-file-size-bytes, found "
                f"{least}, {target}, {most}"
            )
        return {
            "target": target,
            "least": least,
            "most": most,
            "least_files": self.size("min-input-files", 5, 1),
            "most_of_group": self.size("max-file-group-size-bytes", 100 << 30, 1),
        }

    def end(self, refused: Collection[str] = ()) -> None:
        """Checks that no option is left.

        Args:
            refused: Options of Spark's procedure that are not supported.

        Raises:
            InvalidInputError: An option does not exist.
            UnsupportedError: An option is not supported.
        """
        if found := sorted(set(refused).intersection(self._left)):
            raise UnsupportedError(f"options: {found[0]!r} is not supported")
        if self._left:
            raise InvalidInputError(f"options: unknown option {min(self._left)!r} of {self._procedure}")
