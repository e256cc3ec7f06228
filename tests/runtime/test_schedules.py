"""The schedule keeps its invariants, whatever is added and taken: compared with a much simpler model."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from landform.cluster.resources import ObjectKey
from landform.runtime.schedules import Priority, Schedule

KEYS = st.builds(ObjectKey, st.sampled_from("abc"), st.sampled_from("xyz"))
PRIORITIES = st.sampled_from(Priority)


class ScheduleMachine(RuleBasedStateMachine):
    """Adds, takes and lets time pass; the model is a dict of (priority, time)."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.schedule = Schedule()
        self.model: dict[ObjectKey, tuple[Priority, float]] = {}

    @rule(key=KEYS, priority=PRIORITIES, after=st.sampled_from([-1.0, 0.0, 1.0, 2.0, 5.0]))
    def add(self, key: ObjectKey, priority: Priority, after: float) -> None:
        at = self.now + after
        self.schedule.add(key, priority, at, self.now)
        known = self.model.get(key, (priority, at))
        self.model[key] = (max(known[0], priority), min(known[1], at))

    @rule(seconds=st.sampled_from([0.5, 1.0, 3.0]))
    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def take(self) -> None:
        due = self.schedule.take(self.now)
        ready = {key: priority for key, (priority, at) in self.model.items() if at <= self.now}
        if due is None:
            assert not ready
            return
        assert due.priority == ready[due.key] == max(ready.values())
        assert due.since <= self.now
        del self.model[due.key]

    @invariant()
    def holds_each_key_once(self) -> None:
        assert len(self.schedule) == len(self.model)
        assert all(key in self.schedule for key in self.model)

    @invariant()
    def wakes_in_time(self) -> None:
        later = [at for _, at in self.model.values() if at > self.now]
        next_time = self.schedule.next_time()
        assert not later or (next_time is not None and next_time <= min(later))


TestSchedule = ScheduleMachine.TestCase


@given(st.lists(KEYS, min_size=1, unique=True), st.data())
def test_namespaces_take_turns_while_a_key_waits(keys: list[ObjectKey], data: st.DataObject) -> None:
    schedule = Schedule()
    for key in keys:
        schedule.add(key, Priority.CHANGE, 0.0, 0.0)
    chosen = data.draw(st.sampled_from(keys))
    ahead = [key for key in keys[: keys.index(chosen)] if key.namespace == chosen.namespace]
    given_before: dict[str, int] = {}
    while (due := schedule.take(0.0)) is not None and due.key != chosen:
        given_before[due.key.namespace] = given_before.get(due.key.namespace, 0) + 1
    assert all(count <= len(ahead) + 1 for count in given_before.values())


def test_one_key_does_not_wait_for_twenty_thousand_of_another_namespace() -> None:
    schedule = Schedule()
    for number in range(20_000):
        schedule.add(ObjectKey("crowded", str(number)), Priority.CHANGE, 0.0, 0.0)
    lonely = ObjectKey("lonely", "one")
    schedule.add(lonely, Priority.CHANGE, 0.0, 0.0)
    first_two = [schedule.take(0.0), schedule.take(0.0)]
    assert lonely in [due.key for due in first_two if due]


def test_what_a_person_asks_for_goes_before_all_that_is_periodic() -> None:
    schedule = Schedule()
    for name in "abc":
        schedule.add(ObjectKey("n", name), Priority.PERIODIC, 0.0, 0.0)
    schedule.add(ObjectKey("n", "b"), Priority.PERSON, 0.0, 0.0)
    assert (due := schedule.take(0.0)) is not None
    assert due.key.name == "b"


def test_within_a_namespace_who_comes_first_is_served_first() -> None:
    schedule = Schedule()
    for name in "cab":
        schedule.add(ObjectKey("n", name), Priority.CHANGE, 0.0, 0.0)
    assert [due.key.name for _ in range(3) if (due := schedule.take(0.0))] == ["c", "a", "b"]


def test_a_key_that_is_hastened_again_and_again_leaves_no_pile_of_timers() -> None:
    schedule = Schedule()
    for step in range(10_000):
        schedule.add(ObjectKey("n", "x"), Priority.CHANGE, 20_000.0 - step, 0.0)
    assert len(schedule._timers) < 200
