"""Masking: what a message may show of a rendered text when the values in it may be secret.

Any text among the given values is hidden wherever it appears, and so is what it holds: its lines, what stands in its
base64, the fields of a kubeconfig inside it. In excerpts, also longer words are hidden that stand neither in the
template nor in anything else that is public: a secret in capital letters, cut short or hashed is still nobody's
business.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import yaml

from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterator

MASK = "[...]"
"""What stands for a hidden value."""

_SHORTEST = 3
"""Fewest characters of a value that is looked for: shorter ones appear everywhere by chance."""

_SHORT = 8
"""Fewer characters than these may be part of another word by chance."""

_DEEPEST = 4
"""How often a value is opened: base64 of a YAML text with base64 in it."""

_LONGEST_OPENED = 200_000
"""Most characters of a text that is read as YAML to find what it holds."""

_MOST_VALUES = 20_000
"""Most texts that are looked for; a message about more of them hides every word it can."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{4,}={0,2}")
_WORD = re.compile(r"[\w+/=.@%$!#~*^?\\-]{5,}")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`')

Span = tuple[int, int]


class Mask:
    """Hides values in texts; `public` are texts whose words may always be shown."""

    def __init__(self, values: Iterable[Any], public: Iterable[str]) -> None:
        self._public = "\n".join(public)
        self._seen: set[str] = set()
        self._hidden: set[str] = set()
        """The texts to look for, in small letters: one in capitals is as secret."""
        self._words: set[str] = set()
        """Those among them that count only as a word of their own: short ones that were found inside of others."""
        for value in values:
            for text in _texts(value):
                self._hide(text, certain=True, depth=0)

    def message(self, text: str) -> str:
        """A text that someone else wrote about the values, such as the message of an error."""
        if len(self._hidden) >= _MOST_VALUES:
            return self.excerpt(text)
        quoted = [span for match in _QUOTED.finditer(text) for span in self._foreign_words(text, match.span())]
        return _covered(text, [*self._values(text), *quoted])

    def excerpt(self, text: str) -> str:
        """A part of a rendered text."""
        return _covered(text, [*self._values(text), *self._foreign_words(text, (0, len(text)))])

    def values_hidden(self, text: str) -> str:
        """A text that somebody else wrote, such as the output of a program: only the values are hidden in it."""
        return _covered(text, list(self._values(text)))

    def _hide(self, text: str, *, certain: bool, depth: int) -> None:
        """Remember a text and what it holds; what was only found inside and stands in the template is not secret."""
        text = text.strip()
        if len(text) < _SHORTEST or text in self._seen or len(self._hidden) >= _MOST_VALUES:
            return
        self._seen.add(text)
        if certain or text not in self._public:
            escaped = (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
            self._hidden.update(form.lower() for form in (text, *escaped))
            if not certain and len(text) < _SHORT:
                self._words.add(text.lower())
        if depth < _DEEPEST:
            for inner in _opened(text):
                self._hide(inner, certain=False, depth=depth + 1)

    def _values(self, text: str) -> Iterator[Span]:
        small = text.lower() if len(text.lower()) == len(text) else text
        for hidden in self._hidden:
            start = small.find(hidden)
            while start >= 0:
                span = (start, start + len(hidden))
                if hidden not in self._words or _is_word(small, span):
                    yield span
                start = small.find(hidden, start + 1)
        for match in _BASE64.finditer(text):
            decoded = (_decoded(match[0]) or "").lower()
            if decoded and any(hidden in decoded for hidden in self._hidden):
                yield match.span()

    def _foreign_words(self, text: str, within: Span) -> Iterator[Span]:
        for match in _WORD.finditer(text, *within):
            if match[0] not in self._public and match[0].strip("\\\"'.") not in self._public:
                yield match.span()


def _covered(text: str, spans: list[Span]) -> str:
    """The text with every span hidden; spans that touch are hidden as one."""
    pieces: list[str] = []
    end = 0
    for first, last in sorted(spans):
        if first > end or not pieces:
            pieces += [text[end:first], MASK]
        end = max(end, last)
    return "".join([*pieces, text[end:]])


def _is_word(text: str, span: Span) -> bool:
    return not text[span[0] - 1 : span[0]].isalnum() and not text[span[1] : span[1] + 1].isalnum()


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value, but for what says which object it is."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, Mapping):
        is_object = "kind" in value and "apiVersion" in value
        for key, inner in value.items():
            if is_object and key == "metadata" and isinstance(inner, Mapping):
                yield from _texts(inner.get("annotations"))  # may repeat the whole object, as those of kubectl do
            elif not (is_object and key in ("kind", "apiVersion")):
                yield from _texts(inner)
    elif isinstance(value, Iterable):
        for inner in value:
            yield from _texts(inner)


def _opened(text: str) -> Iterator[str]:
    """What a text holds: its lines, what its base64 says, the values of its YAML or JSON."""
    if "\n" in text:
        yield from text.splitlines()
    if _BASE64.fullmatch(text) and (decoded := _decoded(text)) is not None:
        yield decoded
    if ("\n" in text and ":" in text) or text.startswith(("{", "[")):
        yield from _texts(_parsed(text))


def _parsed(text: str) -> Any:
    if len(text) > _LONGEST_OPENED or ("&" in text and "*" in text):  # aliases could grow without end
        return None
    try:
        return yamls.load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _decoded(word: str) -> str | None:
    """The text that a word says in base64; None if it says none."""
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
