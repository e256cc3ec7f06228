"""The formats of strings that the API server checks in custom resources; any other format is only a remark.

They accept what its libraries accept, which is at times more, at times less than the standard of that name.
"""

from __future__ import annotations

import datetime
import ipaddress
import re
import unicodedata
from collections.abc import Callable, Mapping

Accepts = Callable[[str], bool]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_TIME = re.compile(r"(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})\Z", re.ASCII)
_USUAL_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z\Z", re.ASCII)
_GO_DURATION = re.compile(r"[-+]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+\Z", re.ASCII)
_SCALA_DURATION = re.compile(r"(?<!\d)\d++\s*+([A-Za-zµ]+)", re.ASCII)
_UNITS = {"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"}
_UNIT_STEMS = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_SPACES = re.compile(r"[\t\n\f\r -]+")
_NOT_DIGITS = re.compile(r"[^0-9]+")
_CARD = re.compile(
    r"(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})\Z"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]*+={0,2}\Z")
_BYTE_OF_COLOR = r"\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_USER = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:%@-]*\Z")
_PORT = re.compile(r"(:[0-9]*)?\Z")
_HOST = re.compile(r"""([A-Za-z0-9._~!$&'()*+,;=:\]<>"\x80-\U0010ffff-]|%25|%[89A-Fa-f][0-9A-Fa-f])*\Z""")
_ATEXT = r"A-Za-z0-9!#$%&'*+/=?^_`{|}~\x80-\U0010ffff-"
_ATOM = rf"[{_ATEXT}]+"
_QUOTED = r'"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\U0010ffff]|\\[\t\x20-\x7e])*"'
_DOMAIN_LITERAL = r"\[(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)\]"
_ADDRESS = rf"(?:{_ATOM}(?:\.{_ATOM})*|{_QUOTED})@(?:{_ATOM}(?:\.{_ATOM})*|{_DOMAIN_LITERAL})"
_SPACE = r"[ \t]*(?:\([^()]*\)[ \t]*)*"
# possessive, so that a long name that leads to no address fails at once
_PHRASE = rf"(?:(?:[.{_ATEXT}]++|{_QUOTED}){_SPACE})*+"
_EMAIL = re.compile(rf"{_SPACE}(?:{_ADDRESS}|{_PHRASE}<{_SPACE}{_ADDRESS}{_SPACE}>){_SPACE}\Z")


def _matching(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> Accepts:
    fits = re.compile(rf"(?:{pattern})\Z", re.ASCII | flags).match
    return lambda text: fits(text) is not None


def _is_base64(text: str) -> bool:
    """Groups of four characters; counted, because a pattern of groups takes 20 times as long on large texts."""
    return text != "" and len(text) % 4 == 0 and _BASE64.match(text) is not None


def _is_date(text: str) -> bool:
    if not _DATE.match(text):
        return False
    try:
        datetime.date.fromisoformat("2000" + text[4:] if text.startswith("0000") else text)
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    usual = _USUAL_TIME.match(text)
    if usual is not None:
        return _is_date(usual[1])
    date, _, time = text.lower().partition("t")
    found = _TIME.match(time.partition("t")[0])  # what follows a second "t" is overlooked by the API server too
    return found is not None and _is_date(date) and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def _is_duration(text: str) -> bool:
    if text in ("0", "+0", "-0") or _GO_DURATION.match(text):
        return True
    units = [unit.lower() for unit in _SCALA_DURATION.findall(text)]
    return any(unit in _UNITS or unit.startswith(_UNIT_STEMS) for unit in units)


def _is_uri(text: str) -> bool:
    """Whether Go's ``url.ParseRequestURI`` takes it: a path from the root, or absolute."""
    if not text or _CONTROL_CHARACTER.search(text):
        return False
    scheme = _SCHEME.match(text)
    path = (text[scheme.end() :] if scheme else text).partition("?")[0]
    if not path.startswith("/"):
        return scheme is not None or text == "*"
    if scheme and path.startswith("//"):
        authority, _, path = path[2:].partition("/")
        if not _is_authority(authority):
            return False
    return not _BAD_ESCAPE.search(path)


def _is_authority(text: str) -> bool:
    user, at, host = text.rpartition("@")
    if at and (not _USER.match(user) or _BAD_ESCAPE.search(user)):
        return False
    if host.startswith("["):
        address, closed, port = host[1:].rpartition("]")
        return bool(closed) and _is_ipv6(address.partition("%25")[0]) and bool(_PORT.match(port))
    name, colon, port = host.rpartition(":")
    if colon and not _PORT.match(colon + port):
        return False
    return bool(_HOST.match(name if colon else host))


def _is_email(text: str) -> bool:
    return _EMAIL.match(text) is not None


def _is_hostname(text: str) -> bool:
    labels = text.split(".")
    if len(text.encode()) > 255 or any(len(label.encode()) > 63 for label in labels):
        return False
    if len(labels) == 1:
        return bool(text) and _is_single_label(text)
    *front, top = labels
    return len(top) >= 2 and top.isalpha() and all(map(_is_label, front))


def _is_single_label(text: str) -> bool:
    """One character, perhaps a dash, then no dash any more."""
    rest = text[2:] if text[1:2] == "-" else text[1:]
    return _is_host_character(text[0]) and len(rest) <= 62 and all(map(_is_host_character, rest))


def _is_label(text: str) -> bool:
    if not text or not _is_host_character(text[0]) or not _is_host_character(text[-1]):
        return False
    return all(char == "-" or _is_host_character(char) for char in text)


def _is_host_character(char: str) -> bool:
    """Letters and symbols of any script, and the ten digits."""
    return char.isalpha() or char in "0123456789" or unicodedata.category(char).startswith("S")


def _is_ipv4(text: str) -> bool:
    return "." in text and (_is_dotted_quad(text) or _is_ip(text))


def _is_dotted_quad(text: str) -> bool:
    """Leading zeros are tolerated, as before Go 1.17."""
    parts = text.split(".")
    return len(parts) == 4 and all(p.isascii() and p.isdigit() and int(p) <= 255 for p in parts)


def _is_ipv6(text: str) -> bool:
    return ":" in text and _is_ip(text)


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def _is_cidr(text: str) -> bool:
    address, slash, length = text.partition("/")
    bits = 128 if ":" in address else 32
    return (
        bool(slash)
        and (_is_dotted_quad(address) or _is_ip(address))
        and length.isascii()
        and length.isdigit()
        and int(length) <= bits
    )


def _is_mac(text: str) -> bool:
    for separator, digits, sizes in ((":", 2, (6, 8, 20)), ("-", 2, (6, 8, 20)), (".", 4, (3, 4, 10))):
        parts = text.split(separator)
        if len(parts) in sizes and all(re.fullmatch(rf"[0-9A-Fa-f]{{{digits}}}", part) for part in parts):
            return True
    return False


def _is_card(text: str) -> bool:
    digits = _NOT_DIGITS.sub("", text)
    if not _CARD.match(digits):
        return False
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_isbn10(text: str) -> bool:
    digits = _SPACES.sub("", text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    return sum((place + 1) * (10 if char == "X" else int(char)) for place, char in enumerate(digits)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = _SPACES.sub("", text)
    if not re.fullmatch(r"[0-9]{13}", digits):
        return False
    return sum(int(char) * (1, 3)[place % 2] for place, char in enumerate(digits)) % 10 == 0


_CHECKS: Mapping[str, Accepts] = {
    "bsonobjectid": _matching(r"[0-9a-fA-F]{24}"),
    "byte": _is_base64,
    "cidr": _is_cidr,
    "creditcard": _is_card,
    "date": _is_date,
    "datetime": _is_date_time,
    "duration": _is_duration,
    "email": _is_email,
    "hexcolor": _matching(r"#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "mac": _is_mac,
    "password": lambda text: True,
    "rgbcolor": _matching(rf"rgb\({_BYTE_OF_COLOR},{_BYTE_OF_COLOR},{_BYTE_OF_COLOR}\)"),
    "ssn": _matching(r"\d{3}[- ]\d{2}[- ]\d{4}"),
    "uri": _is_uri,
    "uuid": _matching(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE),
    "uuid3": _matching(r"[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE),
    "uuid4": _matching(r"[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}", re.IGNORECASE),
    "uuid5": _matching(r"[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}", re.IGNORECASE),
}


def check_of(name: str) -> Accepts | None:
    """What tests a string for the format, or None if the API server does not check that format."""
    return _CHECKS.get(name.replace("-", ""))


def builtin_check_of(name: str) -> Accepts | None:
    """The same for built-in kinds, which are decoded: bytes may be empty and may be broken into lines."""
    return _is_decodable if name == "byte" else check_of(name)


def _is_decodable(text: str) -> bool:
    return not text or _CHECKS["byte"](text.replace("\r", "").replace("\n", ""))
