"""Programs that come as an image: the same contract, with the image's own command or another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.deployers.programs.contract import sites
from tests.deployers.programs.contract.sites import CONTAINER, KIND, error_of, provider_status

from landform.api.phases import Phase

if TYPE_CHECKING:
    from tests.deployers.programs.contract.sites import Place, User

    from landform.api.deployitems import DeployItem


async def run(user: User, **config: Any) -> DeployItem:
    """A container item after its first job."""
    await user.world.create(config={"apiVersion": CONTAINER, "kind": KIND, **config})
    await user.world.trigger()
    return await user.done()


async def test_an_image_is_run_with_the_command_and_the_arguments_of_the_item(image_place: Place) -> None:
    async with sites.user(image_place, image_place.image_deployer()) as user:
        printing = 'printf "a: %s\\nb: %s\\nimports: " "$1" "$GREETING"; cat "$IMPORTS_PATH"'
        script = f'{{ {printing}; }} > "$EXPORTS_PATH"'
        item = await run(
            user,
            image=image_place.image,
            command=["/bin/sh", "-c"],
            args=[script, "sh", "first"],
            env={"GREETING": "hello"},
            importValues={"x": [1]},
        )
        assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
        assert await user.exported() == {"a": "first", "b": "hello", "imports": {"x": [1]}}
        await user.world.delete()
        await user.gone()
        assert await user.left() == ([], [])


async def test_an_image_that_is_not_there_fails_the_item_in_the_words_of_whoever_looked_for_it(
    image_place: Place,
) -> None:
    async with sites.user(image_place, image_place.image_deployer()) as user:
        item = await run(user, image="localhost/there-is-no-such-image:1")
        assert item.status.phase == Phase.FAILED
        assert "localhost/there-is-no-such-image" in error_of(item)
        assert error_of(item).startswith("the program was not started")
        assert provider_status(item)["image"] == "localhost/there-is-no-such-image:1"
