"""Lines of any length from chunks of any length."""

from __future__ import annotations


class LineBuffer:
    """Collects chunks until they make whole lines; each byte is looked at once, however long a line is."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that end in this chunk, without their ends and without empty ones."""
        first, *rest = chunk.split(b"\n")
        self._parts.append(first)
        lines = []
        for part in rest:
            if line := b"".join(self._parts).strip():
                lines.append(line)
            self._parts = [part]
        return lines

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left of a line that has not ended."""
        return not any(part.strip() for part in self._parts)
