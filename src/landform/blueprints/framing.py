"""Binary content inside of a text: base64 between two marker lines."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from landform.blueprints.errors import FileError

BEGIN: Final = "---Start Binary---"
END: Final = "---End Binary---"


def unframed(path: str, text: str) -> bytes:
    """The content that a text stands for: what is between the markers, decoded, or the text itself."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 3 or lines[0] != BEGIN or lines[-1] != END:
        return text.encode()
    try:
        return base64.b64decode("".join(lines[1:-1]).replace("\r", ""), validate=True)
    except binascii.Error as exc:
        raise FileError(path, f"is framed as binary content, but is not base64: {exc}") from exc
