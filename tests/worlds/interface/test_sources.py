"""Sources made of functions: when they are called, names of instances, parameters, and what is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import runner
from runner import IS_GOAL, kernel
from runner.base.errors import NameTaken, PluginError, UserError
from runner.config.cell import sections
from tests.plugins.rows import Row
from tests.runner_cli import ROOT, rows, run
from worlds.interface.callbacks import expand_python
from worlds.interface.instance import Instance
from worlds.interface.sources import SOURCES, Source

ROW = ("plugins=[my_rows]", "world=row/random")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a working directory with a plug-in."""
    shutil.copy(ROOT / "tests" / "plugins" / "rows.py", tmp_path / "my_rows.py")
    return tmp_path


@pytest.fixture(autouse=True)
def _own_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SOURCES, "_entries", dict(SOURCES._entries))


def made(function: Callable[..., Any], name: str = "row/tested", /, *, given: Any = None, **options: Any) -> Source:
    """Register a function, and return its source with the given parameters."""
    runner.source(name, **options)(function)
    return sections.source_of({"name": name, **(given or {})})


def numbers_of(instance: Instance) -> tuple[int, ...]:
    assert isinstance(instance.world, Row)
    return instance.world.numbers


def seeded(seed: int, size: int = 2) -> Row:
    return Row((seed, size))


def numbered(number: int, size: int = 2) -> Row:
    return Row((number, size))


def several(size: int = 2) -> Iterator[Any]:
    for number in range(size):
        yield str(number), Row((number,))


def single(size: int = 2) -> Row:
    return Row((size,))


def of_file(file: Path) -> Iterator[Any]:
    for line in file.read_text().split():
        yield (None if line == "-" else line), Row((1,))


@pytest.mark.parametrize(
    ("function", "options", "names"),
    [
        (seeded, {"given": {"count": 2, "seed": 7}}, ["7", "8"]),
        (seeded, {"given": {"count": 2}, "id": "{size}-{seed:03}"}, ["2-000", "2-001"]),
        (numbered, {"count": lambda parameters: parameters.size}, ["0", "1"]),
        (numbered, {"count": lambda parameters: parameters.size, "id": "{size}.{number}"}, ["2.0", "2.1"]),
        (several, {}, ["0", "1"]),
        (several, {"count": lambda parameters: parameters.size, "given": {"size": 3}}, ["0", "1", "2"]),
        (several, {"sampled": True, "given": {"size": 9, "sample": 2, "seed": 1}}, ["2", "4"]),
        (single, {}, ["row/tested"]),
        (single, {"id": "of {size}", "given": {"size": 5}}, ["of 5"]),
        (of_file, {"files": ".row", "given": {"path": "*.row"}}, ["one", "a_2", "b_1"]),
        (lambda file: Row((1,)), {"files": ".row", "given": {"path": "."}}, ["a", "b"]),
    ],
)
def test_the_arguments_tell_when_a_function_is_called_and_what_instances_are_called(
    function: Callable[..., Any], options: dict[str, Any], names: list[str],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.row").write_text("one -")
    (tmp_path / "b.row").write_text("-")
    source = made(function, **options)
    source.check()
    instances = list(source.instances())
    assert [instance.id for instance in instances] == names
    assert len(source) == len(names)
    assert {instance.source for instance in instances} == {"row/tested"}
    has_seeds = function is seeded
    assert [instance.seed for instance in instances] == (
        [numbers_of(instance)[0] for instance in instances] if has_seeds else [None] * len(names)
    )


def test_instances_are_made_when_they_are_needed_or_once() -> None:
    calls: list[object] = []

    def of_seed(seed: int) -> Row:
        calls.append(seed)
        return Row((seed,))

    def once() -> Iterator[Any]:
        for number in range(3):
            calls.append(f"once {number}")
            yield str(number), Row((number,))

    list(made(of_seed, given={"count": 1000}).series.part(range(500, 502)))
    assert calls == [500, 501]
    calls.clear()
    lazy = made(once, "row/lazy", count=lambda _: 3)
    list(islice(lazy.instances(), 1))
    list(islice(lazy.instances(), 1))
    assert calls == ["once 0", "once 0"]
    calls.clear()
    listed = made(once, "row/listed")
    list(islice(listed.instances(), 1))
    list(listed.instances())
    assert calls == ["once 0", "once 1", "once 2"]


def test_a_parameter_may_be_a_list_with_all_seeds_for_each_value() -> None:
    def of_sizes(seed: int, number: int, size: int | list[int] = 2) -> Row:
        return Row((seed, number, size))  # type: ignore[arg-type]

    source = made(of_sizes, each="size", id="{size}-{seed}", given={"size": [3, 4], "count": 2, "seed": 5})
    found = {instance.id: numbers_of(instance) for instance in source.instances()}
    assert found == {"3-5": (5, 0, 3), "3-6": (6, 1, 3), "4-5": (5, 0, 4), "4-6": (6, 1, 4)}
    assert [instance.id for instance in source.series.candidates()] == ["3-5", "4-5"]


@dataclass(frozen=True)
class Ends:
    """Parameters of several sources.

    Attributes
    ----------
    last : int
        The last number.
    """

    last: int = 3

    def __post_init__(self) -> None:
        if self.last > 9:
            raise UserError("world.last: at most 9")


def test_fields_of_a_dataclass_are_parameters_and_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    def of_ends(ends: Ends, size: int = 1) -> Row:
        return Row((size, ends.last))

    source = made(of_ends, given={"last": 8})
    assert [numbers_of(instance) for instance in source.instances()] == [(1, 8)]
    with pytest.raises(UserError, match=r"world\.last: at most 9"):
        sections.source_of({"name": "row/tested", "last": 10})
    for given, message in (
        ({"lats": 3}, r"world\.lats: unknown parameter of world 'row/tested'; did you mean 'last'\? choose from: "),
        ({"last": "x"}, r"world\.last: expected int, got str|world\.last: expected int, got 'x'"),
    ):
        with pytest.raises(UserError, match=message):
            sections.source_of({"name": "row/tested", **given})


def nothing(number: int) -> None: ...
def of_both(seed: int, file: Path) -> None: ...
def starred(*sizes: int) -> None: ...
def without_default(size: int) -> None: ...
def of_list(sizes: list[int] = []) -> None: ...  # noqa: B006
def of_named(name: str = "x") -> None: ...
def of_series(series: int = 1) -> None: ...
def of_default_seed(seed: int = 0) -> None: ...


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (
            without_default,
            {},
            "the argument size needs a default; only seed, number, file, unreadable and dataclasses "
            r"of parameters have none; or write it after \* to make it required",
        ),
        (starred, {}, r"\*sizes: .* collects arguments; name each parameter"),
        (of_list, {}, r"the default of sizes can change: \[\]; use a tuple or None"),
        (Row, {}, "runner.source takes a function that makes worlds, not a class; for a PythonWorld write @runner.reg"),
        (of_default_seed, {}, "leave out the default of seed; a parameter of this name comes after"),
        (numbered, {"count": 3}, "count: expected a function, got 3"),
        (of_both, {"files": ".txt"}, "the arguments seed, file do not fit together; choose from: .seed., .seed, numb"),
        (of_named, {}, "the parameter 'name' is a key of every world"),
        (of_series, {}, "the parameter 'series' is a name of FunctionSource; choose another, or write 'series_'"),
        (nothing, {}, "number: needs count=, a function of the parameters"),
        (of_file, {}, "file: needs files=, the extensions of the files"),
        (single, {"files": ".txt"}, "files: needs the argument file"),
        (seeded, {"count": len}, "count: seed and file tell the number of instances already"),
        (numbered, {"count": len, "sampled": True}, "sampled: only for a function that is called once, without count"),
        (single, {"each": "size"}, "each: needs the argument seed"),
        (seeded, {"each": "sise"}, "each: the function has no parameter 'sise'"),
        (
            of_file,
            {"files": ".txt", "id": "x"},
            "id: a function of the path, and only of a function that is called for",
        ),
        (seeded, {"id": str}, "id: a function of the path, and only of a function that is called for files"),
        (seeded, {"id": "{sise}-{seed}"}, "id: there is no parameter 'sise'; did you mean 'size'"),
        (seeded, {"id": "{size}"}, "id: names of instances are unique, so '{size}' needs {seed}"),
        (seeded, {"id": "{size-{seed}"}, "id: unexpected '{' in field name"),
    ],
)
def test_a_function_that_cannot_be_a_source_is_refused_when_it_is_registered(
    function: Callable[..., Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=f"world 'row/tested': {message}"):
        runner.source("row/tested", **options)(function)


def test_a_name_belongs_to_one_function() -> None:
    runner.source("row/tested")(single)
    runner.source("row/tested")(single)  # its module is imported again
    with pytest.raises(
        NameTaken, match=r"world 'row/tested' is registered already, by tests.worlds.interface.test_sources.sing"
    ):
        runner.source("row/tested")(seeded)
    with pytest.raises(TypeError, match=r'runner.source takes a name: write @runner.source\("single", ...\) above'):
        runner.source(single)  # type: ignore[arg-type]


def twice() -> list[Any]:
    return [("a", Row((1,))), ("a", Row((2,)))]


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (lambda: None, {}, r"expected a world or a pair \(name, world\), got None"),
        (lambda: [3], {}, r"expected a world or a pair \(name, world\), got 3"),
        (lambda: (3, Row((1,))), {}, r"expected a world or a pair \(name, world\), got \(3, Row"),
        (lambda: ("a", "b"), {}, r"expected a world or a pair \(name, world\), got \('a', 'b'\)"),
        (lambda: ("a\n", Row((1,))), {}, r"expected names of 1 to 200 printable characters, got 'a\\n'"),
        (twice, {}, "twice yields the name 'a' twice; names are unique"),
        (lambda seed: ("a", Row((seed,))), {}, "two instances have the name 'a'; names are unique"),
        (lambda seed: iter([Row((1,)), Row((2,))]), {}, "expected one world for seed 0, got several worlds"),
        (lambda number: [], {"count": lambda _: 2}, "expected one world for number 0, got no world"),
        (seeded, {"id": "{size.foo}-{seed}"}, "id: 'int' object has no attribute 'foo', in '{size.foo}-{seed}'"),
        (numbered, {"count": lambda _: 2.0}, "count gives 2.0; expected a whole number of at least 0"),
        (single, {"domain": "line"}, r'makes worlds of the domain row; name it row/..., or give domain="row"'),
    ],
)
def test_what_a_function_must_not_make_is_refused_before_anything_runs(
    function: Callable[..., Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=f"world 'row/tested': {message}"):
        made(function, **options).check()


@pytest.mark.parametrize("name", ["show", "initial", "goals", "playable", "groups"])
def test_a_field_does_not_hide_what_the_engine_asks_of_a_world(name: str) -> None:
    with pytest.raises(TypeError, match=f"Hiding: {name} is a name of all worlds; call the field {name}_"):
        type("Hiding", (Row,), {"__annotations__": {name: int}})


def test_an_error_of_a_property_of_a_world_is_its_own() -> None:
    class Faulty(Row):
        @property
        def broken(self) -> int:
            raise AttributeError("inner")

    instance: Any = Instance(Faulty((1,)), "faulty")
    with pytest.raises(AttributeError, match=r"^inner$"):
        _ = instance.broken
    with pytest.raises(AttributeError, match="an instance of row has no attribute 'missing'"):
        _ = instance.missing
    with pytest.raises(AttributeError, match=r"no attribute 'render'; derive the class of the world from runner.Looks"):
        instance.render()


def test_a_world_that_cannot_be_told_apart_by_its_fields_is_refused() -> None:
    @dataclass(frozen=True)
    class Opaque(Row):
        thing: object = object()

    with pytest.raises(
        UserError, match="a value of object cannot be part of the identity of a row; make it a dataclass"
    ):
        runner.solve(Instance(Opaque((2, 1)), "opaque"), "ucs")


def test_a_world_tells_its_data() -> None:
    class Hidden(runner.World):
        domain = "row"
        initial = Row.initial
        successors = Row.successors
        is_goal = Row.is_goal

    class Telling(Hidden):
        def identity(self) -> dict[str, Any]:
            return {"numbers": [1]}

    message = "Hidden must be a dataclass, or have a method identity: its instances are told apart by their fields"
    with pytest.raises(UserError, match=message):
        made(lambda: Hidden()).check()
    made(lambda: Telling(), "row/telling").check()


@kernel(IS_GOAL)
def is_zero(constants, states, at):  # type: ignore[no-untyped-def]
    return states[at] == 0


@dataclass(frozen=True)
class Unfinished(runner.Kernels):
    """World whose kernels and rules are missing."""

    domain = "row"
    goal_kernel = is_zero

    def initial(self) -> int:
        return 0

    def is_goal(self, state: int) -> bool:
        return state == 0

    def expand_kernel(self) -> int:  # type: ignore[override]
        return 0

    def pack(self, state: int) -> list[int]:
        return [state]

    def unpack(self, words: Any) -> int:
        return int(words[0])


class WithoutRules(Unfinished):
    """World with kernels, but neither `successors` nor `step_of`."""

    @property
    def expand_kernel(self) -> Any:
        return expand_python


def test_kernels_without_rules_and_rules_without_kernels_are_refused() -> None:
    with pytest.raises(
        UserError, match=r"Unfinished: expand_kernel: expected a function marked with @kernel\(EXPAND\)"
    ):
        made(lambda: Unfinished()).check()
    with pytest.raises(UserError, match="WithoutRules: the rules are missing: define successors or step_of"):
        made(lambda: WithoutRules(), "row/without").check()


def test_another_number_of_worlds_than_count_gives_is_refused() -> None:
    for count, shown in ((3, ["0", "1"]), (1, ["0"])):
        source = made(several, count=lambda _, count=count: count)
        found: list[Instance] = []
        with pytest.raises(UserError, match=rf"world 'row/tested': 2 worlds came, but count gives {count}"):
            found.extend(source.instances())
        assert [instance.id for instance in found] == shown


def raising(*arguments: Any, **keywords: Any) -> Any:
    raise ZeroDivisionError("of a user")


def raising_later() -> Iterator[Any]:
    yield "a", Row((1,))
    raising()


@pytest.mark.parametrize(
    ("function", "options", "what"),
    [
        (lambda seed: raising(), {}, "<lambda> for seed 0"),
        (lambda number: raising(), {"count": lambda _: 2}, "<lambda> for number 0"),
        (lambda file: raising(), {"files": ".row", "given": {"path": "a.row"}}, "<lambda> for a.row"),
        (raising_later, {}, "raising_later"),
        (numbered, {"count": raising}, "count"),
        (single, {"validate": raising}, "validate"),
        (single, {"samples": raising}, "samples"),
        (single, {"exhaustive": raising}, "exhaustive"),
        (of_file, {"files": raising, "given": {"path": "a.row"}}, "files"),
    ],
)
def test_an_exception_of_a_plug_in_shows_its_traceback(
    function: Callable[..., Any], options: dict[str, Any], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.row").write_text("one")
    with pytest.raises(PluginError) as found:
        source = made(function, **options)
        source.check()
        _ = source.samples(), source.exhaustive
    first, _, traceback = str(found.value).partition("\n")
    assert first == f"world 'row/tested': {what} failed: ZeroDivisionError: of a user"
    assert traceback.startswith("Traceback (most recent call last):\n  File ")
    assert "test_sources.py" in traceback.splitlines()[1]
    assert traceback.endswith("ZeroDivisionError: of a user")


def test_an_exception_at_a_later_seed_ends_only_its_cell(folder: Path) -> None:
    words = (*ROW, "world.count=3", "hydra.sweep.dir=out")
    done = run(folder, "-m", *words, "world.broken=2,7")
    assert done.returncode == 1
    assert (
        "error: world 'row/random': random_rows for seed 2 failed: ZeroDivisionError: of a user\nTraceback"
        in done.stderr
    )
    assert "worlds/interface/sources.py" not in done.stderr
    found = rows(folder / "out" / "results.csv")
    assert [(row["instance"], row["seed"], row["status"]) for row in found] == [
        (f"4-{seed}", str(seed), "solved") for seed in (0, 1, 0, 1, 2)
    ]


def test_files_of_a_plug_in_are_read_and_refused_like_ours(folder: Path) -> None:
    (folder / "a.txt").write_text("2 1\n3 1 2\n")
    (folder / "b.txt").write_text("1 x\n")
    (folder / "c.txt").write_text("")
    words = (ROW[0], "world=row/file")
    done = run(folder, *words, "world.path=.", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert [(row["instance"], row["cost"], row["reason"]) for row in rows(folder / "out" / "metrics.csv")] == [
        ("a_1", "1", ""),
        ("a_2", "2", ""),
        ("b", "", "b.txt: line 1: expected numbers, got '1 x'"),
        ("c", "", "c.txt: holds no instances"),
    ]
    done = run(folder, *words, "world.path=b.txt")
    assert (done.returncode, done.stderr) == (2, "error: b.txt: line 1: expected numbers, got '1 x'\n")
