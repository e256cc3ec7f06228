"""Cuts a template's text into tokens, one at a time, as Go's lexer does."""

from __future__ import annotations

import re

from landform.gotemplate.quoting import quote, unicode_name
from landform.gotemplate.tokens import KEYWORDS, Kind, Token

_SPACES = " \t\r\n"
_LEFT = "{{"
_RIGHT = "}}"
_ALPHANUMERIC = re.compile(r"\w*")
_SPACE_RUN = re.compile(r"[ \t\r\n]+")
_QUOTED = re.compile(r'"(?:[^"\\\n]++|\\[^\n])*+"')
_CHARACTER = re.compile(r"'(?:[^'\\\n]++|\\[^\n])*+'")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?"
    r"|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?"
    r"|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?"
)
_SINGLE = {"=": Kind.ASSIGN, "|": Kind.PIPE}


def is_alphanumeric(char: str) -> bool:
    """Whether the character may be part of a name: a letter, a decimal digit or an underscore."""
    return char == "_" or char.isalpha() or char.isdecimal()


class Lexer:
    """The tokens of a text; after an error only EOF follows."""

    def __init__(self, text: str, *, break_is_keyword: bool = True, continue_is_keyword: bool = True) -> None:
        self.text = text
        self._position = 0
        self._line = 1
        self._inside = False
        self._parens = 0
        self._plain_words = {
            word for word, keyword in (("break", break_is_keyword), ("continue", continue_is_keyword)) if not keyword
        }

    def next(self) -> Token:
        """The next token."""
        return self._action() if self._inside else self._outside()

    def _emit(self, kind: Kind, end: int) -> Token:
        value = self.text[self._position : end]
        token = Token(kind, self._position, value, self._line)
        self._skip(end)
        return token

    def _skip(self, end: int) -> None:
        self._line += self.text.count("\n", self._position, end)
        self._position = end

    def _error(self, message: str) -> Token:
        token = Token(Kind.ERROR, self._position, message, self._line)
        self.text = ""
        self._position = 0
        return token

    def _outside(self) -> Token:
        """Plain text up to the next action, without the comments."""
        while True:
            text, start = self.text, self._position
            found = text.find(_LEFT, start)
            if found < 0:
                if start < len(text):
                    return self._emit(Kind.TEXT, len(text))
                return Token(Kind.EOF, start, "EOF" if not text else "", self._line)
            trims = self._trims_left(found + 2)
            if found > start:
                end = start + len(text[start:found].rstrip(_SPACES)) if trims else found
                token = self._emit(Kind.TEXT, end)
                self._skip(found)
                if token.value:
                    return token
            if not text.startswith("/*", found + 2 + 2 * trims):
                return self._left_delimiter(trims)
            error = self._comment(trims)
            if error is not None:
                return error

    def _trims_left(self, after: int) -> bool:
        return self.text[after : after + 1] == "-" and self.text[after + 1 : after + 2] in tuple(_SPACES)

    def _left_delimiter(self, trims: bool) -> Token:
        token = self._emit(Kind.LEFT_DELIMITER, self._position + 2)
        if trims:
            self._skip(self._position + 2)
        self._inside = True
        self._parens = 0
        return token

    def _comment(self, trims: bool) -> Token | None:
        self._skip(self._position + 2 + 2 * trims)
        close = self.text.find("*/", self._position + 2)
        if close < 0:
            return self._error("unclosed comment")
        delimiter, trims = self._at_right(close + 2)
        if not delimiter:
            return self._error("comment ends before closing delimiter")
        self._after_right(close + 2, trims)
        return None

    def _at_right(self, position: int) -> tuple[bool, bool]:
        """Whether a right delimiter is there, and whether it trims the text that follows."""
        text = self.text
        if text.startswith(_RIGHT, position):
            return True, False
        trims = (
            text[position : position + 1] in tuple(_SPACES)
            and text.startswith("-", position + 1)
            and text.startswith(_RIGHT, position + 2)
        )
        return trims, trims

    def _after_right(self, position: int, trims: bool) -> None:
        end = position + (4 if trims else 2)
        if trims:
            space = _SPACE_RUN.match(self.text, end)
            end = space.end() if space else end
        self._skip(end)

    def _action(self) -> Token:
        text, start = self.text, self._position
        delimiter, trims = self._at_right(start)
        if delimiter:
            return self._right_delimiter(trims)
        char = text[start : start + 1]
        if not char:
            return self._error("unclosed action") if text else Token(Kind.EOF, 0, "EOF", self._line)
        if char in _SPACES:
            return self._space()
        if char in _SINGLE:
            return self._emit(_SINGLE[char], start + 1)
        if char == ":":
            if not text.startswith("=", start + 1):
                return self._error("expected :=")
            return self._emit(Kind.DECLARE, start + 2)
        if char in "\"`'":
            return self._literal(char)
        if char == "$":
            return self._name(Kind.VARIABLE)
        if char == "." and not "0" <= text[start + 1 : start + 2] <= "9" and start + 1 < len(text):
            return self._name(Kind.FIELD)
        if char in "+-.0123456789":
            return self._number()
        if is_alphanumeric(char):
            return self._identifier()
        return self._punctuation(char)

    def _right_delimiter(self, trims: bool) -> Token:
        if self._parens:
            return self._error("unclosed left paren")
        position, line = self._position, self._line
        if trims:
            self._skip(position + 2)
            position, line = self._position, self._line
        self._after_right(position - 2 if trims else position, trims)
        self._inside = False
        return Token(Kind.RIGHT_DELIMITER, position, _RIGHT, line)

    def _space(self) -> Token:
        match = _SPACE_RUN.match(self.text, self._position)
        end = match.end() if match else self._position
        if self._at_right(end - 1)[1]:
            end -= 1  # the last space belongs to a trimming delimiter
        return self._emit(Kind.SPACE, end)

    def _literal(self, quotes: str) -> Token:
        start = self._position
        if quotes == "`":
            close = self.text.find("`", start + 1)
            return (
                self._error("unterminated raw quoted string") if close < 0 else self._emit(Kind.RAW_STRING, close + 1)
            )
        pattern, kind, name = (
            (_QUOTED, Kind.STRING, "quoted string")
            if quotes == '"'
            else (_CHARACTER, Kind.CHAR_CONSTANT, "character constant")
        )
        match = pattern.match(self.text, start)
        return self._emit(kind, match.end()) if match else self._error(f"unterminated {name}")

    def _name_end(self, start: int) -> int:
        text, end = self.text, start
        match = _ALPHANUMERIC.match(text, start)
        end = match.end() if match else start
        for index in range(start, end):  # \w takes a few more numeric characters than Go's digits
            if not is_alphanumeric(text[index]):
                return index
        return end

    def _terminated(self, end: int) -> bool:
        """Whether a name may end there."""
        following = self.text[end : end + 1]
        return not following or following in " \t\r\n.,|:)(" or self.text.startswith(_RIGHT, end)

    def _bad_character(self, end: int) -> Token:
        return self._error(f"bad character {unicode_name(self.text[end])}")

    def _name(self, kind: Kind) -> Token:
        """A variable or a field; alone, `$` is a variable and `.` is the dot."""
        start = self._position
        if self._terminated(start + 1):
            return self._emit(Kind.DOT if kind is Kind.FIELD else kind, start + 1)
        end = self._name_end(start + 1)
        return self._emit(kind, end) if self._terminated(end) else self._bad_character(end)

    def _identifier(self) -> Token:
        end = self._name_end(self._position)
        if not self._terminated(end):
            return self._bad_character(end)
        word = self.text[self._position : end]
        if word in KEYWORDS and word not in self._plain_words:
            return self._emit(KEYWORDS[word], end)
        return self._emit(Kind.BOOL if word in ("true", "false") else Kind.IDENTIFIER, end)

    def _number(self) -> Token:
        kind, start = Kind.NUMBER, self._position
        end, good = self._scan_number(start)
        if good and self.text[end : end + 1] in ("+", "-"):
            kind = Kind.COMPLEX
            end, good = self._scan_number(end)
            good = good and self.text[end - 1] == "i"
        if not good:
            return self._error(f"bad number syntax: {quote(self.text[start:end])}")
        return self._emit(kind, end)

    def _scan_number(self, start: int) -> tuple[int, bool]:
        match = _NUMBER.match(self.text, start)
        end = match.end() if match else start
        following = self.text[end : end + 1]
        if following and is_alphanumeric(following):
            return end + 1, False
        return end, True

    def _punctuation(self, char: str) -> Token:
        if char == "(":
            self._parens += 1
            return self._emit(Kind.LEFT_PAREN, self._position + 1)
        if char == ")":
            self._parens -= 1
            if self._parens < 0:
                return self._error("unexpected right paren")
            return self._emit(Kind.RIGHT_PAREN, self._position + 1)
        if char.isascii() and char.isprintable():
            return self._emit(Kind.CHAR, self._position + 1)
        return self._error(f"unrecognized character in action: {unicode_name(char)}")
