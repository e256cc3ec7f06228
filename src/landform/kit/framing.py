"""Binary content inside of a text: base64 between two marker lines.

>>> unframed(framed(b"\\x00\\xff")), unframed("plain")
(b'\\x00\\xff', b'plain')
"""

from __future__ import annotations

import base64
from typing import Final

BEGIN: Final = "---Start Binary---"
END: Final = "---End Binary---"


def framed(content: bytes) -> str:
    """Content as a text that stands for it."""
    return f"{BEGIN}\n{base64.b64encode(content).decode()}\n{END}\n"


def unframed(text: str) -> bytes:
    """The content that a text stands for: what is between the markers, or the text itself. ValueError if no base64."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or lines[0] != BEGIN or lines[-1] != END:
        return text.encode()
    return base64.b64decode("".join(lines[1:-1]).replace("\r", ""), validate=True)
