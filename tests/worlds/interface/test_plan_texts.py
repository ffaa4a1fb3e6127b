"""Plans that programs write, in the formats that all worlds have."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import runner
from worlds.interface.world import World


class Lift(World):
    """A lift in plain Python, whose actions have other names in other states."""

    domain = "lift"

    def initial(self) -> int:
        return 0

    def successors(self, state: int) -> list[tuple[str, int, int]]:
        return [("up", state + 1, 1)] if state < 2 else [("open the door", 3, 1)]

    def is_goal(self, state: int) -> bool:
        return state == 3


@dataclass(frozen=True)
class Door(Lift):
    """A lift that begins at the top."""

    def initial(self) -> int:
        return 2


def test_names_are_words_or_lines() -> None:
    assert Lift().read_plan("up, up\n up,,up\r\n") == ("up", "up", "up", "up")
    assert Door().read_plan("\n open  the\tdoor \n\nup") == ("open the door", "up")
    assert Lift().read_plan("") == ()


def test_names_in_json_may_have_blanks() -> None:
    assert Lift().read_plan('["up", "up", "open the door"]\n', "json") == ("up", "up", "open the door")


def test_a_format_that_a_world_does_not_have_is_a_mistake_of_the_user() -> None:
    with pytest.raises(runner.UserError, match="plans of lift have no format 'jsn'; did you mean 'json'"):
        Lift().read_plan("", "jsn")


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        ("U L\nR X", "names", "line 2: 'X' is no action; choose from: U, L, R, D"),
        ('["U", "X"]', "json", "item 2: 'X' is no action; choose from: U, L, R, D"),
        ('["U", ["L"]]', "json", """item 2: '["L"]' is no name of an action"""),
        ('["U",\n"L"', "json", "line 2, column 4: no JSON: Expecting ',' delimiter"),
        ('{"U": 1}', "json", "line 1: expected a list in JSON, got '{\"U\": 1}'"),
        ("U\nX\x1b[2J", "names", "line 2: 'X\\x1b[2J' is no action; choose from: U, L, R, D"),
        ("[1" + "0" * 5000 + "]", "json", "line 1: no JSON: Exceeds the limit"),
        ("[" * 100_000, "json", "line 1: the lists in JSON are nested too deeply"),
    ],
)
def test_what_is_no_plan_is_said_with_the_word_and_its_place(text: str, format: str, message: str) -> None:
    (instance,) = runner.load("npuzzle/random", count=1)
    with pytest.raises(ValueError) as error:
        instance.world.read_plan(text, format)
    assert str(error.value).startswith(message)
