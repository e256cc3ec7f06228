"""Paths with slashes, taken apart without looking at any file."""

from __future__ import annotations

from landform.gotemplate.functions import Function, function


def clean(path: str) -> str:
    """The shortest path that names the same place."""
    if not path:
        return "."
    rooted = path.startswith("/")
    kept: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            kept.append(part)
        elif kept and kept[-1] != "..":
            kept.pop()
        elif not rooted:
            kept.append("..")
    return "/" + "/".join(kept) if rooted else "/".join(kept) or "."


def base(path: str) -> str:
    """The last part."""
    if not path:
        return "."
    stripped = path.rstrip("/")
    return stripped[stripped.rfind("/") + 1 :] if stripped else "/"


def directory(path: str) -> str:
    """All but the last part."""
    return clean(path[: path.rfind("/") + 1])


def extension(path: str) -> str:
    """The end of the last part, from its last dot on."""
    last = path[path.rfind("/") + 1 :]
    return last[last.rfind(".") :] if "." in last else ""


_TABLE = {
    "base": function("string -> string", base),
    "dir": function("string -> string", directory),
    "clean": function("string -> string", clean),
    "ext": function("string -> string", extension),
    "isAbs": function("string -> bool", lambda path: path.startswith("/")),
}

FUNCTIONS: dict[str, Function] = {
    **_TABLE,
    **{f"os{name[0].upper()}{name[1:]}": call for name, call in _TABLE.items()},
}
