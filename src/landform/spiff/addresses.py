"""IP addresses and networks as Go's `net` package reads, computes and prints them."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.spiff.numbers import wrap

if TYPE_CHECKING:
    from landform.spiff.info import Info, Result

_MAPPED = bytes(10) + b"\xff\xff"
_MASK = re.compile("[0-9]{1,8}")


@dataclass(frozen=True)
class Network:
    """An address with the length of its network part."""

    address: bytes
    """16 bytes; of IPv4 the last four count."""
    ones: int
    bits: int

    @property
    def base(self) -> bytes:
        """The first address, with as many bytes as its family has."""
        size = self.bits // 8
        number = int.from_bytes(self.address[-size:]) & self._mask()
        return number.to_bytes(size)

    @property
    def last(self) -> bytes:
        """The last address."""
        size = self.bits // 8
        return (int.from_bytes(self.base) | (~self._mask() & ((1 << self.bits) - 1))).to_bytes(size)

    @property
    def size(self) -> int:
        """How many addresses there are; right for IPv4, as in the original."""
        return wrap(1 << (32 - self.ones)) if self.ones <= 32 else 0

    def _mask(self) -> int:
        return ((1 << self.ones) - 1) << (self.bits - self.ones)

    def contains(self, address: bytes) -> bool:
        """Whether an address belongs to the network."""
        own = _narrow(self.base)
        other = _narrow(address)
        if len(own) != len(other):
            return False
        shift = len(own) * 8 - self.ones + (self.bits - len(own) * 8)
        return int.from_bytes(own) >> shift == int.from_bytes(other) >> shift


def parse_ip(text: str) -> bytes | None:
    """The 16 bytes of an address, or None."""
    if "%" in text or "/" in text:
        return None
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return _MAPPED + address.packed if address.version == 4 else address.packed


def parse_network(text: str) -> Network | None:
    """The network that a text such as `10.0.0.0/8` names, or None."""
    host, slash, mask = text.partition("/")
    address = parse_ip(host)
    if address is None or not slash or not _MASK.fullmatch(mask):
        return None
    bits = 128 if ":" in host else 32
    ones = int(mask)
    return Network(address, ones, bits) if ones <= bits else None


def network_fault(text: str) -> str:
    """What Go says about a text that is no network."""
    return f"invalid CIDR address: {text}"


def _narrow(address: bytes) -> bytes:
    return address[12:] if len(address) == 16 and address.startswith(_MAPPED) else address


def ip_text(address: bytes) -> str:
    """An address as text; IPv4 in dots."""
    return str(ipaddress.ip_address(_narrow(address)))


def _network_text(address: bytes, ones: int) -> str:
    return f"{ip_text(address)}/{ones}"


def shifted(address: bytes, offset: int) -> bytes:
    """The address that many places further, byte by byte with the original's carry."""
    moved = bytearray(address)
    for index in range(len(moved) - 1, -1, -1):
        total = wrap(offset + moved[index])
        moved[index] = total & 0xFF
        if total < 0:
            total = wrap(total - 256)
        offset = abs(total) // 256 * (1 if total >= 0 else -1)
        if offset == 0:
            break
    return bytes(moved)


def distance(first: bytes, second: bytes) -> int:
    """How far the second address is before the first."""
    total = 0
    for one, other in zip(first, second, strict=True):
        total = wrap(total * 256 + one - other)
    return total


def add(text: str, offset: Any, info: Info) -> Result:
    """An address or network plus a number."""
    address, network = parse_ip(text), None
    if address is None:
        network = parse_network(text)
        if network is None:
            return info.fail("first argument for addition must be IP address, CIDR or number")
        address = network.address
    if type(offset) is not int:
        return info.fail("addition argument for an IP address requires an integer argument")
    return _moved(address, network, offset, info)


def _moved(address: bytes, network: Network | None, offset: int, info: Info) -> Result:
    address = shifted(address, offset)
    if network is None:
        return ip_text(address), info, True
    if not network.contains(address):
        return info.fail("resulting ip address not in CIDR range")
    return _network_text(address, network.ones), info, True


def subtract(text: str, other: Any, info: Info) -> Result:
    """An address or network minus a number, or the distance of two."""
    address, network = parse_ip(text), None
    if address is None:
        network = parse_network(text)
        if network is None:
            return info.fail("first argument for substraction must be IP address, CIDR or number")
        address = network.address
    if type(other) is int:
        return _moved(address, network, wrap(-other), info)
    if type(other) is not str:
        return info.fail("second argument of IP address subtraction must be IP address or integer")
    second = parse_ip(other)
    if second is None:
        other_network = parse_network(other)
        if other_network is None:
            return info.fail("second argument for substraction must be IP address, CIDR or number")
        second = other_network.address
    return distance(address, second), info, True


def multiply(text: str, count: Any, info: Info) -> Result:
    """The network that many networks of the same size further."""
    network = parse_network(text)
    if network is None:
        return info.fail(f"first argument of multiplication must be CIDR or number: {network_fault(text)}")
    if type(count) is not int:
        return info.fail("CIDR multiplication requires an integer argument")
    return _network_text(shifted(network.base, wrap(network.size * count)), network.ones), info, True


def divide(text: str, parts: Any, info: Info) -> Result:
    """The first of so many equal parts of a network, rounded up to a power of two."""
    network = parse_network(text)
    if network is None:
        return info.fail(f"first argument of division must be CIDR or number: {network_fault(text)}")
    if type(parts) is not int:
        return info.fail("IP address division requires an integer argument")
    if parts < 1:
        return info.fail("IP address division requires a positive integer argument")
    ones, rounds = network.ones, False
    while parts > 1:
        rounds = rounds or parts % 2 == 1
        parts //= 2
        ones += 1
    ones += rounds
    if ones > 32:
        return info.fail("divisor too large for CIDR network size")
    return _network_text(network.base, ones), info, True
