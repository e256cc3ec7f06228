"""Stories that nobody thought of: random writes by three managers, the same ones in every run."""

from __future__ import annotations

import random
from typing import Any

from tests.golden.ownership.steps import Scenario, Step, apply, create, merge, put

Json = dict[str, Any]

MANAGERS = ("alice", "bob", "carol")
WORDS = ("a", "b", "c")
STORIES = 40


class Dice:
    """Draws parts of a Widget."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def story(self, number: int) -> Scenario:
        """A story of seven writes."""
        steps = [create("alice", {"spec": self.spec()}) if self.chance(0.3) else apply("alice", {"spec": self.spec()})]
        steps += [self.step() for _ in range(6)]
        return Scenario(f"chance-{number:02}", "Widget", tuple(steps))

    def step(self) -> Step:
        """A write by anybody; apply is the most interesting one."""
        manager = self._random.choice(MANAGERS)
        if self.chance(0.7):
            return apply(manager, {"spec": self.spec()}, force=self.chance(0.5))
        if self.chance(0.5):
            return put(manager, {"spec": self.spec()})
        return merge(manager, {"spec": self.spec() | dict.fromkeys(self.some(("labels", "parts", "free", "title")))})

    def spec(self) -> Json:
        """Some of the fields that a Widget can have."""
        makers = {
            "title": self.word,
            "replicas": lambda: self._random.randrange(3),
            "labels": self.words,
            "settings": self.words,
            "nested": lambda: self.of({"a": self.word, "b": self.word, "c": self.named}),
            "tags": lambda: self.some(WORDS),
            "sizes": lambda: self._random.choices(range(3), k=self._random.randrange(3)),
            "parts": lambda: [{"name": name, **self.named()} for name in self.some(WORDS)],
            "ports": lambda: [self.of({"note": self.word}) | {"port": port} for port in self.some((80, 443))],
            "groups": lambda: {name: self.named() for name in self.some(WORDS)},
            "free": lambda: self.free(2),
            "mixed": lambda: self.of({"known": self.word, "other": lambda: self.free(1)}),
        }
        return self.of(makers)

    def free(self, depth: int) -> Any:
        """A map without a schema; its values are of any kind."""
        makers: list[Any] = [self.word, lambda: self.some(WORDS), lambda: True, lambda: 1]
        if depth:
            makers += [lambda: self.free(depth - 1)] * 4
        return {name: self._random.choice(makers)() for name in self.some(WORDS)}

    def named(self) -> Json:
        """Some fields of a small struct."""
        return self.of({"value": self.word, "size": lambda: self._random.randrange(2)})

    def words(self) -> Json:
        """A map of words."""
        return {name: self.word() for name in self.some(WORDS)}

    def word(self) -> str:
        """One of two words, so that managers often agree."""
        return self._random.choice(("x", "y"))

    def of(self, makers: Json) -> Json:
        """About half of the fields."""
        return {name: makers[name]() for name in self.some(tuple(makers))}

    def some(self, choices: tuple[Any, ...]) -> list[Any]:
        """About half of the choices, in any order."""
        chosen = [choice for choice in choices if self.chance(0.45)]
        self._random.shuffle(chosen)
        return chosen

    def chance(self, probability: float) -> bool:
        """Whether it happens this time."""
        return self._random.random() < probability


ALL = tuple(Dice(number).story(number) for number in range(STORIES))
