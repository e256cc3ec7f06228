"""Functions on IP addresses and networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.spiff.addresses import (
    Network,
    distance,
    ip_text,
    network_fault,
    parse_ip,
    parse_network,
    shifted,
)
from landform.spiff.expressions.base import Expr
from landform.spiff.expressions.references import Reference
from landform.spiff.info import CLEAN, Result, done, fail
from landform.spiff.nodes import dynaml_node
from landform.spiff.values import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.spiff.environment import Environment
    from landform.spiff.functions.signature import Call, Function

_MOST_ADDRESSES = 100_000


def _of_network(call: Call, operation: Callable[[Network], Any]) -> Result:
    if call.size != 1:
        return CLEAN.refuse("only one argument expected for CIDR function")
    network = parse_network(call.arguments[0]) if type(call.arguments[0]) is str else None
    return CLEAN.refuse("CIDR argument required") if network is None else done(operation(network))


def _min_ip(call: Call) -> Result:
    return _of_network(call, lambda network: ip_text(network.base))


def _max_ip(call: Call) -> Result:
    return _of_network(call, lambda network: ip_text(network.last))


def _num_ip(call: Call) -> Result:
    return _of_network(call, lambda network: network.size)


def _contains_ip(call: Call) -> Result:
    if call.size != 2:
        return CLEAN.refuse("contains_ip requires CIDR and IP argument")
    written, address = call.arguments
    if type(written) is not str:
        return CLEAN.refuse("CIDR required as first argument")
    network = parse_network(written)
    if network is None:
        return CLEAN.refuse(f"CIDR argument required: {network_fault(written)}")
    if type(address) is not str:
        return CLEAN.refuse("IP required as second argument")
    parsed = parse_ip(address)
    return CLEAN.refuse(f"IP argument required: {address}") if parsed is None else done(network.contains(parsed))


@dataclass(frozen=True)
class _Range:
    """Addresses from a first one on."""

    first: bytes
    size: int

    def address(self, index: int) -> str:
        """The text of one of the addresses."""
        return ip_text(shifted(self.first, index))


class _RangeError(Exception):
    """A text names no range of addresses."""


def _range(text: str) -> _Range:
    segments = text.split("-")
    if len(segments) == 1:
        network = parse_network(text)
        if network is not None:
            return _Range(network.base, network.size)
        return _Range(_address(segments[0]), 1)
    first, last = _address(segments[0]), _address(segments[1])
    if first > last:
        raise _RangeError(f"invalid IP range: start ({segments[0]}) larger than end ({segments[1]})")
    return _Range(first, distance(last, first) + 1)


def _address(text: str) -> bytes:
    address = parse_ip(text.strip(" "))
    if address is None:
        raise _RangeError(f"invalid IP '{text}'")
    return address


def _ipset(call: Call) -> Result:
    if call.size < 2:
        return fail("at least 2 argument expected (ipranges, size, optional: ip indices")
    written = call.arguments[0]
    texts = [written] if type(written) is str else None
    if type(written) is list:
        texts = []
        for index, node in enumerate(written):
            if type(node.value) is not str:
                return fail(f"string entry at ip range list index {index}")
            texts.append(node.value)
    if texts is None:
        return fail("ip range or range list expected as first argument")
    try:
        ranges = [_range(text) for text in texts]
    except _RangeError as error:
        return fail(str(error))
    indices: list[int] = []
    for argument in call.arguments[2:]:
        fault = _collect(indices, argument)
        if fault:
            return fail(fault)
    return _chosen(call, ranges, indices)


def _chosen(call: Call, ranges: list[_Range], indices: list[int]) -> Result:
    count = call.arguments[1]
    if type(count) is not int:
        return fail("number of IPs in set expected as second argument")
    if call.size > 2 and len(indices) < count:
        return fail(f"too many required entries ({count} > {len(indices)} available indices)")
    if count < 0:
        return fail("number of IPs in set expected as second argument")
    call.env.state.meter.step(count)
    result = []
    for place in range(count):
        index = indices[place] if call.size > 2 else place
        offset = 0
        for part in ranges:
            if index < offset + part.size:
                result.append(dynaml_node(part.address(index - offset)))
                break
            offset += part.size
        else:
            return fail(f"ip index {place} ({index}) out of range ({offset} IP(s) available in ranges)")
    return done(result)


def _collect(indices: list[int], value: Any) -> str | None:
    """Adds the whole numbers of a value to the indices; says what is wrong if there is something else."""
    value = counted(value)
    if type(value) is int:
        if value < 0:
            return f"negative ip indices are not allowed: {value}"
        indices.append(value)
        return None
    if type(value) is not list:
        return "arguments to static_ips must be integer or list of integers"
    for node in value:
        fault = _collect(indices, node.value) if node.value is not None else None
        if fault:
            return fault
    return None


def _static_ips(call: Call) -> Result:
    """Addresses for the instances of a BOSH job, from the static ranges of its network."""
    indices: list[int] = []
    for argument in call.arguments:
        if type(argument) is int:
            indices.append(argument)
        elif type(argument) is list:
            _collect(indices, argument)
        else:
            return fail("arguments to static_ips must be integer or list of integers")
    if not indices:
        return None, CLEAN, False
    ranges, info, ok = _static_ranges(call.env)
    if not ok or ranges is None:
        return (Reference(("name",)) if ok else None), info, ok
    instances, info, ok = Reference(("instances",)).evaluate(call.env, False)
    if not ok or type(instances) is not int:
        return None, info, False
    pool: list[str] = []
    for text in ranges:
        try:
            part = _range(text)
        except _RangeError:
            return None, info, False
        call.env.state.meter.step(min(part.size, _MOST_ADDRESSES))
        pool += [part.address(index) for index in range(min(part.size, _MOST_ADDRESSES))]
    if any(not 0 <= index < len(pool) for index in indices):
        return None, info, False
    if len(indices) < instances:
        return info.fail(f"too less static IPs for {instances} instances")
    return [dynaml_node(pool[index], call.env.source) for index in indices][:instances], info, True


def _static_ranges(env: Environment) -> Result:
    name, info, ok = Reference(("name",)).evaluate(env, False)
    if not ok or isinstance(name, Expr):
        return None, info, ok
    if type(name) is not str:
        return info.fail("name field must be string")
    subnets, info, ok = Reference(("", "networks", name, "subnets")).evaluate(env, False)
    if not ok or isinstance(subnets, Expr):
        return None, info, ok
    if type(subnets) is not list:
        return info.fail("subnets field must be a list")
    ranges: list[str] = []
    for subnet in subnets:
        if type(subnet.value) is not dict:
            return info.fail("subnet must be a map")
        if "static" not in subnet.value:
            return info.fail(f"no static ips for network {name}")
        static = subnet.value["static"].value
        if type(static) is not list:
            return info.refuse(f"static ips for network {name} must be a list")
        if any(type(node.value) is not str for node in static):
            return info.fail(f"invalid entry for static ips for network {name}")
        ranges += [node.value for node in static]
    return ranges, info, True


FUNCTIONS: dict[str, Function] = {
    "min_ip": _min_ip,
    "max_ip": _max_ip,
    "num_ip": _num_ip,
    "contains_ip": _contains_ip,
    "ipset": _ipset,
    "static_ips": _static_ips,
}
