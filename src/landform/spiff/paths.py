"""Paths as they are written in references, and file paths as Go cleans them."""

from __future__ import annotations


def components(text: str, leading: bool) -> tuple[str, ...]:
    """The steps of a written path; `leading`: a dot at the beginning is a step of its own, the root."""
    steps: list[str] = []
    step = ""
    for char in text:
        if char == ".":
            if step or leading:
                steps.append(step)
            step = ""
            continue
        if char == "[" and step:
            steps.append(step)
            step = ""
        step += char
    if step:
        steps.append(step)
    return tuple(steps)


def clean(path: str) -> str:
    """The shortest path that means the same, as Go's `path.Clean` finds it."""
    if not path:
        return "."
    rooted = path.startswith("/")
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".." or not rooted:
            parts.append(part)
    return ("/" if rooted else "") + "/".join(parts) or "."


def base(path: str) -> str:
    """The last part of a path."""
    if not path:
        return "."
    stripped = path.rstrip("/")
    return stripped.rpartition("/")[2] if stripped else "/"


def directory(path: str) -> str:
    """All but the last part of a path, cleaned."""
    head, slash, _ = path.rpartition("/")
    return clean(head + slash)
