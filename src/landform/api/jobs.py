"""Jobs: one run of a whole tree, known by the id that a root Installation makes and hands down.

>>> base("4f1c.k2j4x")
'4f1c'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from landform.kit.ids import Ids

_PASS: Final = "."
"""Between the id of a job and that of a scheduled pass on its results. Not part of any UUID."""


_RENEWAL: Final = "renew-"
"""Before the id of a job in which only items work whose inputs changed. Not the beginning of any UUID."""


class HasJob(Protocol):
    """A status with job ids."""

    @property
    def job_id(self) -> str | None: ...

    @property
    def job_id_finished(self) -> str | None: ...


def is_busy(status: HasJob) -> bool:
    """Whether the object has a job that is not over."""
    return (status.job_id or "") != (status.job_id_finished or "")


def base(job: str | None) -> str:
    """The job that an id belongs to: itself, or for a scheduled pass the job whose results it looks after."""
    return (job or "").partition(_PASS)[0]


def renewal_id(job: str) -> str:
    """The id for a job in which only items work whose inputs changed.

    The id itself says so, because it is the one thing that reaches everything below a root in the first write.
    """
    return _RENEWAL + job


def is_renewal(job: str | None) -> bool:
    """Whether the id is one of such a job; a scheduled pass on its results is none."""
    return (job or "").startswith(_RENEWAL) and not is_pass(job)


def pass_id(last: str | None, ids: Ids) -> str:
    """A new id for a scheduled pass over what the last job left.

    It is made from that job's id, so that an Execution which still works on the same job knows the pass as its own.
    """
    return base(last) + _PASS + ids.suffix()


def is_pass(job: str | None) -> bool:
    """Whether the id is one of a scheduled pass."""
    return _PASS in (job or "")
