"""What a program leaves: exports, state, output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.deployers.programs.contract.sites import error_of, provider_status, run_elsewhere

from landform.api.conditions import find
from landform.api.phases import Phase
from landform.deployers.programs.runs import logs

if TYPE_CHECKING:
    import pytest
    from tests.deployers.programs.contract.sites import User

COUNTING = 'echo x >> "$STATE_PATH/runs"; echo "runs: $(wc -l < "$STATE_PATH/runs")" > "$EXPORTS_PATH"'


async def test_exports_may_be_json_or_yaml(user: User) -> None:
    await user.run("""echo '{"a": {"b": [1, "x"]}}' > "$EXPORTS_PATH" """)
    assert await user.exported() == {"a": {"b": [1, "x"]}}
    await user.run("""printf 'a:\\n  b: text\\n' > "$EXPORT_PATH" """, "two")
    assert await user.exported("two") == {"a": {"b": "text"}}


async def test_broken_exports_fail_the_item_with_their_place_and_without_their_value(user: User) -> None:
    item = await user.run("""printf 'a: 1\\nsecret: "unclosed\\n' > "$EXPORTS_PATH" """)
    assert item.status.phase == Phase.FAILED
    assert "line 3, column 1" in error_of(item)
    assert "unclosed" not in error_of(item)
    assert item.status.last_error is not None
    assert (item.status.last_error.operation, item.status.last_error.reason) == ("RunWaitContainer", "CollectionFailed")


async def test_exports_that_do_not_fit_into_a_secret_fail_the_item_with_both_sizes(user: User) -> None:
    item = await user.run("""{ printf 'a: '; head -c 1100000 /dev/zero | tr '\\0' x; } > "$EXPORTS_PATH" """)
    assert item.status.phase == Phase.FAILED
    assert "1100003 bytes, but at most 1048576" in error_of(item)


async def test_what_is_not_exported_again_is_exported_no_longer(user: User) -> None:
    script = 'test -e "$STATE_PATH/a" || { touch "$STATE_PATH/a"; echo "a: 1" > "$EXPORTS_PATH"; }'
    assert (await user.run(script)).status.export_ref is not None
    assert (await user.again()).status.export_ref is None


async def test_the_state_of_one_run_is_there_in_the_next(user: User) -> None:
    script = """
        set -eu
        cd "$STATE_PATH"
        if [ -e empty ]; then
            test "$(od -An -c 'nul file' | tr -d ' ')" = 'a\\0b' && test ! -s empty && test -d none
            test "$(cat deep/er/x)" = x && test "$(stat -c %a deep/er/x)" = 640 && test "$(cat ümläut)" = ö
        else
            printf 'a\\0b' > 'nul file'; : > empty; mkdir -p deep/er none; echo x > deep/er/x; chmod 640 deep/er/x
            echo ö > 'ümläut'
        fi
    """
    item = await user.run(script)
    assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
    item = await user.again()
    assert item.status.phase == Phase.SUCCEEDED, item.status.last_error


async def test_the_state_is_kept_though_the_program_failed(user: User) -> None:
    item = await user.run(f'{COUNTING}; test "$(wc -l < "$STATE_PATH/runs")" -gt 1')
    assert item.status.phase == Phase.FAILED
    item = await user.again()
    assert item.status.phase == Phase.SUCCEEDED
    assert await user.exported() == {"runs": 2}


async def test_a_state_that_cannot_be_kept_fails_the_item_and_names_the_file(user: User) -> None:
    item = await user.run('ln -s /etc/passwd "$STATE_PATH/link"')
    assert item.status.phase == Phase.FAILED
    assert "link is a symbolic link" in error_of(item)


async def test_a_program_that_fails_says_how_and_what_it_printed_last(user: User) -> None:
    # On a node, what is printed to two streams may come in another order.
    item = await user.run("exec 2>&1; for i in $(seq 30); do echo line $i; done; echo cannot go on >&2; exit 3")
    assert item.status.phase == Phase.FAILED
    sentence, *lines = error_of(item).splitlines()
    assert "exit code 3" in sentence
    assert len(lines) == 20
    assert lines[-2:] == ["line 30", "cannot go on"]
    assert item.status.last_error is not None
    assert item.status.last_error.operation == "RunMainContainer"
    main = find(item.status.conditions, "MainContainer")
    assert main is not None
    assert main.status == "False"


async def test_secrets_are_hidden_in_errors_and_output_stays_out_of_the_deployers_own_log(
    user: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "landform.deployers")
    await user.world.create_target(config={"token": "tops3cret-of-target"})
    item = await user.run(
        'echo printed; cat "$IMPORTS_PATH" "$TARGET_PATH"; exit 1',
        config={"importValues": {"password": "tops3cret-import"}},
        target={"name": "place", "namespace": "default"},
    )
    assert "printed" in error_of(item)
    assert "tops3cret" not in error_of(item) + str(provider_status(item))
    assert "tops3cret" in await user.printed()
    assert "exit code 1" in caplog.text
    assert "printed" not in caplog.text.replace("it printed last", "")
    assert "tops3cret" not in caplog.text


async def test_output_is_kept_while_the_program_runs_and_after_it(user: User) -> None:
    await user.create("echo begin; sleep 2.5; echo end")
    await user.world.trigger()
    await user.running()
    assert await user.printed() == "begin\n"
    item = await user.done()
    assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
    assert await user.printed() == "begin\nend\n"
    assert await user.printed(which=logs.PREVIOUS) == ""


async def test_only_the_last_of_much_output_is_kept(user: User) -> None:
    item = await user.run("i=0; while [ $i -lt 9000 ]; do echo this is the line number $i; i=$((i+1)); done")
    assert item.status.phase == Phase.SUCCEEDED
    kept = await user.printed()
    assert kept.endswith("this is the line number 8999\n")
    assert 200 * 1024 < len(kept) <= 256 * 1024


async def test_the_provider_status_tells_of_the_program(user: User) -> None:
    status = provider_status(await user.run("sleep 1" if user.place.image else "true"))
    assert (status["kind"], status["lastOperation"]) == ("ProviderStatus", "RECONCILE")
    assert status["podStatus"]["lastSuccessfulJobID"] == "job-1"
    assert status["podStatus"]["containerStatus"]["exitCode"] == 0
    assert status["state"]["terminated"]["exitCode"] == 0
    assert status["sandbox"] == user.place.name
    if user.place.image:
        assert status["image"] == user.place.image
        assert status["imageID"]
    conditions = (await user.world.item()).status.conditions
    for type_ in ("InitContainer", "MainContainer", "WaitContainer"):
        found = find(conditions, type_)
        assert found is not None
        assert (found.status, found.reason) == ("True", "ContainerSucceeded")


async def test_equal_names_in_two_namespaces_do_not_meet(user: User) -> None:
    await user.namespace("other")
    item = await user.run(COUNTING)
    await user.again()
    assert await run_elsewhere(user, "other", item) == {"runs": 1}
    await user.again()
    assert await user.exported() == {"runs": 3}
    assert len((await user.left())[1]) in (0, 2)  # as far as anything is left where they ran
