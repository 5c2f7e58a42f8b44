"""A process that writes the rows of recipes: pickles come in and go out, each behind its length."""

from __future__ import annotations

import pickle
import struct
import sys


def main() -> None:
    """Answer until there is no more question."""
    while header := sys.stdin.buffer.read(8):
        recipe, rows, task = pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", header)[0]))
        answer = pickle.dumps(recipe.write(rows, task=task))
        sys.stdout.buffer.write(struct.pack("<Q", len(answer)) + answer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
