"""The examples with programs do what their page says: scripts as local processes."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from tests.examples.landscapes import EXAMPLES, NAMESPACE, landscape_of_programs

from landform.cluster.kinds import DATA_OBJECTS
from landform.cluster.resources import SECRETS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.examples.landscapes import Landscape


async def test_a_password_is_made_once_and_reaches_a_second_script(folder: Path) -> None:
    async with landscape_of_programs(folder, "script-password") as shop:
        assert await shop.phases() == {"password": "Succeeded", "database": "Succeeded"}
        password = await shop.exported("database-password")
        assert len(password) == 20
        assert await shop.exported("database-url") == f"postgres://admin:{password}@db.internal/shop"
        await shop.reconcile("password")
        assert await shop.exported("database-password") == password


async def test_nothing_is_left_of_a_password_whose_installation_is_deleted(folder: Path) -> None:
    async with landscape_of_programs(folder, "script-password/1-password.yaml") as shop:
        await shop.delete("password")
        assert [
            secret["metadata"]["name"] for secret in (await shop.cluster.list(SECRETS, namespace=NAMESPACE)).items
        ] == []


async def test_a_ledger_does_the_difference_and_takes_everything_away_in_the_end(folder: Path) -> None:
    accounts = folder / "accounts"
    accounts.mkdir()
    accounts.chmod(stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    inputs = (EXAMPLES / "script-ledger" / "1-inputs.yaml").read_text()
    (folder / "inputs.yaml").write_text(inputs.replace("/tmp/landform-example-ledger", str(accounts)))
    async with landscape_of_programs(folder, str(folder / "inputs.yaml"), "script-ledger/2-installation.yaml") as bank:
        assert {path.name: path.read_text() for path in accounts.iterdir()} == {"alice": "100\n", "bob": "20\n"}
        await _give(bank, "ledger-accounts", {"bob": None, "carol": 3})
        await bank.reconcile("ledger")
        assert {path.name for path in accounts.iterdir()} == {"alice", "carol"}
        assert await bank.exported("ledger-count") == 2
        await bank.delete("ledger")
        assert list(accounts.iterdir()) == []


async def _give(bank: Landscape, name: str, value: object) -> None:
    await bank.cluster.patch(DATA_OBJECTS, name, {"data": value}, namespace=NAMESPACE)
