"""Time zones: UTC, a fixed offset, or one from the time zone database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import function
from landform.gotemplate.values import Object

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -62_135_596_800 + 86_400, 253_402_300_799 - 86_400  # what datetime can hold, less a day


class Location(Object):
    """A *time.Location."""

    __slots__ = ("name",)
    go_type = "*time.Location"
    go_kind = "ptr"

    def __init__(self, name: str) -> None:
        self.name = name

    def string(self) -> str:
        return self.name

    def at(self, seconds: int) -> tuple[str, int, bool]:
        """The abbreviation, the offset in seconds and whether daylight saving is on, at a moment."""
        return "UTC", 0, False

    def offsets(self, seconds: int) -> tuple[int, ...]:
        """Offsets that may hold around a moment, those before it first."""
        return (self.at(seconds - 86_400)[1], self.at(seconds + 86_400)[1])


Location.methods = {"String": function("", Location.string)}


class Fixed(Location):
    """A zone that is always the same."""

    __slots__ = ("_abbreviation", "_offset")

    def __init__(self, name: str, offset: int) -> None:
        super().__init__(name)
        self._abbreviation = name
        self._offset = offset

    def at(self, seconds: int) -> tuple[str, int, bool]:
        return self._abbreviation, self._offset, False


class Named(Location):
    """A zone of the database."""

    __slots__ = ("_zone",)

    def __init__(self, name: str, zone: ZoneInfo) -> None:
        super().__init__(name)
        self._zone = zone

    def at(self, seconds: int) -> tuple[str, int, bool]:
        moment = (_EPOCH + timedelta(seconds=min(max(seconds, _FIRST), _LAST))).astimezone(self._zone)
        offset, saving = moment.utcoffset(), moment.dst()
        return moment.tzname() or "", int(offset.total_seconds()) if offset else 0, bool(saving)


ZERO = Location("UTC")


def load(name: str, local: Location) -> Location:
    """The zone with the name; GoError when there is none."""
    if name in ("", "UTC"):
        return ZERO
    if name == "Local":
        return local
    if ".." in name or name[0] in "/\\":
        raise GoError("time: invalid location name")
    try:
        return Named(name, ZoneInfo(name))
    except (KeyError, ValueError, OSError):
        raise GoError(f"unknown time zone {name}") from None
