"""``python -m runner replay``: text, pictures and messages."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import imageio_ffmpeg
import pytest
from PIL import Image, ImageSequence

from runner.features.explorer.animation import Animation
from runner.features.explorer.plans import RecordedPlan
from tests.plugins import install
from tests.runner_cli import only, rows, run
from worlds.interface.world import Frame

PANCAKE = ("plugins=[runner.examples.pancake]", "world=pancake", "world.size=5", "world.count=1", "heuristic=gap")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a sweep of two cells of puzzles, and single runs of caves and pancakes."""
    folder = tmp_path_factory.mktemp("replay")
    puzzles = ("world=npuzzle/random", "world.size=2x3", "world.count=3", "heuristic=manhattan,misplaced")
    for arguments in (
        ("-m", *puzzles, "hydra.sweep.dir=sweep"),
        ("heuristic=manhattan", "hydra.run.dir=caves"),
        (*PANCAKE, "hydra.run.dir=pancakes"),
    ):
        done = run(folder, *arguments)
        assert done.returncode == 0, done.stderr
    return folder


def replay(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(directory, "replay", *arguments)


def test_text_shows_every_state_and_both_names_of_a_move(outputs: Path) -> None:
    done = replay(outputs, "sweep/0", "--instance", "uniform-2x3-1")
    assert done.returncode == 0, done.stderr
    plan = json.loads((outputs / "sweep" / "0" / "plans.jsonl").read_text().splitlines()[1])["actions"]
    assert done.stdout.startswith(f"uniform-2x3-1, {len(plan)} actions\nstart\n")
    assert done.stdout.count("move tile") == done.stdout.count("(blank ") == len(plan)
    assert done.stdout.rstrip().endswith("1 2 3\n4 5 .")


@pytest.mark.parametrize(
    ("job", "instance"),
    [
        pytest.param("sweep/1", "uniform-2x3-0", marks=pytest.mark.long),
        pytest.param("caves", "unibz_w5", marks=pytest.mark.long),  # has the most to draw
        ("pancakes", None),
    ],
)
def test_a_gif_has_a_frame_for_every_state(outputs: Path, tmp_path: Path, job: str, instance: str | None) -> None:
    """The instance may be left out if there is only one plan."""
    plans = [json.loads(line) for line in (outputs / job / "plans.jsonl").read_text().splitlines()]
    plan = next(plan for plan in plans if instance in (None, plan["instance"]))
    file = tmp_path / "play.gif"
    arguments = ["--instance", instance] if instance else []
    done = replay(outputs, job, *arguments, "--out", str(file), "--delay", "0.1")
    assert (done.returncode, done.stderr) == (0, "")
    with Image.open(file) as picture:
        assert picture.info["duration"] >= 100
        frames = ImageSequence.all_frames(picture)
    # successive frames with the same picture are merged
    assert 0.6 * len(plan["actions"]) <= len(frames) <= len(plan["actions"]) + 1
    assert frames[0].convert("RGB").tobytes() != frames[-1].convert("RGB").tobytes()
    assert [path.name for path in tmp_path.iterdir()] == ["play.gif"]


@pytest.mark.parametrize("extension", ["svg", "mp4"])
def test_other_formats_show_every_state(outputs: Path, tmp_path: Path, extension: str) -> None:
    done = replay(outputs, "pancakes", "--out", str(tmp_path / f"x.{extension}"), "--delay", "0.25")
    assert (done.returncode, done.stderr) == (0, "")
    (plan,) = [json.loads(line) for line in (outputs / "pancakes" / "plans.jsonl").read_text().splitlines()]
    frames = len(plan["actions"]) + 1
    if extension == "svg":
        root = ElementTree.parse(tmp_path / "x.svg").getroot()
        assert len(root.findall("{*}g[@class='frame']")) == frames
    else:
        shown, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "x.mp4"))
        assert shown == frames + 3  # the last one is shown four times
        assert seconds == pytest.approx(0.25 * shown)
    assert [path.name for path in tmp_path.iterdir()] == [f"x.{extension}"]


@pytest.mark.parametrize("file", ["x.gif", "x.png", "x.svg", "x.pdf"])
def test_a_moment_is_a_picture_of_any_size(outputs: Path, tmp_path: Path, file: str) -> None:
    out = tmp_path / file
    done = replay(outputs, "pancakes", "--step", "1", "--size", "701x300", "--out", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(", 1 frame\n")
    if file == "x.svg":
        root = ElementTree.parse(out).getroot()
        assert (root.get("width"), root.get("height"), len(root.findall("{*}g[@class='frame']"))) == ("701", "300", 1)
        assert root.find("{*}style") is None
    elif file == "x.pdf":
        assert out.read_bytes().startswith(b"%PDF")
        assert replay(outputs, "pancakes", "--step", "1", "--size", "701x300", "--out", f"{out}.pdf").returncode == 0
        assert out.read_bytes() == Path(f"{out}.pdf").read_bytes()
    else:
        with Image.open(out) as picture:
            assert picture.size == (701, 300)


def test_a_moment_is_text(outputs: Path) -> None:
    text = replay(outputs, "pancakes", "--step", "1").stdout
    assert text.count("\n1/") == 1
    assert "\n2/" not in text


def test_each_plan_of_a_set_can_be_played(outputs: Path, tmp_path: Path) -> None:
    shutil.copytree(outputs / "pancakes", tmp_path / "set")
    file = tmp_path / "set" / "plans.jsonl"
    plan = json.loads(file.read_text())
    detour = [*plan["actions"][:1] * 2, *plan["actions"]]  # a flip twice leaves the stack as it was
    plans = [
        {**plan, "solution": number, "cost": len(actions), "costs": [len(actions), 7], "actions": actions}
        for number, actions in enumerate((["none"], ["none"], plan["actions"], detour), -1)
    ]
    plans[0]["solution"] = plans[2]["solution"] = 1  # the search was repeated
    plans[1]["solution"] = plans[3]["solution"] = 2
    file.write_text("".join(json.dumps(each) + "\n" for each in plans))
    length = len(plan["actions"])
    (recorded,) = RecordedPlan.below(tmp_path)
    assert (recorded.actions(), recorded.costs) == (plan["actions"], (length, 7))
    title = f"{plan['instance']}, {length} actions, plan 1 of 2, cost {length}, 7\n"
    assert replay(tmp_path, "set").stdout.startswith(title)
    second = replay(tmp_path, "set", "--solution", "2").stdout
    assert second.startswith(f"{plan['instance']}, {length + 2} actions, plan 2 of 2, cost {length + 2}, 7\n")
    assert replay(tmp_path, "set", "--solution", "9").stderr == "error: --solution: expected 1 to 2, got 9\n"
    shutil.copytree(outputs / "sweep", tmp_path / "sweep")
    assert f"{length} actions, the first of 2 plans\n" in replay(tmp_path, ".").stdout


def ink(picture: Image.Image) -> tuple[int, int, int, int]:
    """Return the box of the dark pixels below the caption: left, top, right, bottom."""
    width, height = picture.size
    box = picture.convert("L").point(lambda value: 255 * (value < 200)).crop((0, 33, width, height)).getbbox()
    assert box is not None
    return box


LONG_TEXTS = [pytest.param(*each, marks=pytest.mark.long) for each in ((9, 4), (38, 1), (60, 30), (100, 20))]


@pytest.mark.parametrize(("columns", "lines"), [(1, 1), (200, 9), (12, 70), *LONG_TEXTS])
def test_text_fills_its_frame_without_clipping(tmp_path: Path, columns: int, lines: int) -> None:
    text = "\n".join("#" * columns for _ in range(lines))
    Animation([Frame("long caption " * 30, text), Frame("$short", "#")], 0.1).save(tmp_path / "x.gif")
    with Image.open(tmp_path / "x.gif") as picture:
        first, second = (frame.convert("RGB") for frame in ImageSequence.all_frames(picture))
    left, top, right, bottom = ink(first)
    width, height = first.width, first.height - 33
    assert min(left, width - right) >= 8
    assert min(top, height - bottom) >= 3
    assert max((right - left) / width, (bottom - top) / height) > (0.8 if columns > 1 else 0.1)
    small = ink(second)  # in the same place, at the same size
    assert max(abs(small[0] - left), abs(small[1] - top)) <= 2
    assert small[2] - left <= (right - left) / columns + 2


def test_without_an_instance_the_plans_are_listed(outputs: Path) -> None:
    done = replay(outputs, "caves")
    assert done.returncode == 0
    assert "unibz_w5  --run-id " in done.stdout
    sweep = replay(outputs, "sweep").stdout
    assert "  world=npuzzle/random world.size=2x3 world.count=3 heuristic=misplaced  " in sweep
    assert done.stdout.endswith("choose one with --instance or --run-id\n")


def test_a_run_id_selects_one_of_several_plans_of_an_instance(outputs: Path) -> None:
    done = replay(outputs, "sweep", "--instance", "uniform-2x3-0")
    assert done.returncode == 2
    assert "2 rows have a plan for 'uniform-2x3-0'; choose one with --run-id" in done.stderr
    run_id = rows(outputs / "sweep" / "results.csv")[3]["run_id"]
    chosen = replay(outputs, "sweep", "--run-id", run_id)
    assert chosen.returncode == 0
    assert chosen.stdout.startswith("uniform-2x3-0, ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["caves", "--instance", "unibz_w55"], "no plan of 'unibz_w55'; did you mean 'unibz_w5'?"),
        (["caves", "--run-id", "abc"], "--run-id: no plan of 'abc'"),
        (
            ["caves", "--instance", "unibz_w5", "--out", "x.bmp"],
            "x.bmp: expected the extension of an animation or a picture; did you mean '.mp4'?",
        ),
        (["pancakes", "--size", "300x200"], "--size: only with --out"),
        (["pancakes", "--out", "x.gif", "--size", "300"], "--size: expected WIDTHxHEIGHT with 100 to 2560 pixels each"),
        (["pancakes", "--out", "x.mp4", "--size", "301x200"], "a video has even numbers of pixels, not 301x200"),
        (["pancakes", "--step", "99"], "--step: expected 0 to "),
    ],
)
def test_mistakes_are_refused(outputs: Path, arguments: list[str], message: str) -> None:
    done = replay(outputs, *arguments)
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
    assert message in done.stderr


def test_the_message_for_an_instance_without_a_plan_has_the_reason(tmp_path: Path) -> None:
    (tmp_path / "boards.txt").write_text("odd: 1 2 3 4 5 6 8 7 0\neven: 1 2 3 4 5 6 7 0 8\n")
    done = run(tmp_path, "world=npuzzle/file", "world.path=boards.txt", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert "unsolvable: odd parity" in done.stdout
    assert [row["reason"] for row in rows(tmp_path / "out" / "metrics.csv")] == ["odd parity", ""]
    shown = replay(tmp_path, "out", "--instance", "odd")
    expected = "error: --instance: 'odd' has no plan, its status is unsolvable (odd parity)\n"
    assert (shown.returncode, shown.stderr) == (2, expected)
    (tmp_path / "boards.txt").write_text("odd: 1 2 3 4 5 6 8 7 0\n")
    assert run(tmp_path, "world=npuzzle/file", "world.path=boards.txt", "hydra.run.dir=alone").returncode == 0
    assert replay(tmp_path, "alone", "--instance", "odd").stderr == expected


def test_corrupt_plans_and_configurations_are_refused_or_skipped(outputs: Path, tmp_path: Path) -> None:
    shutil.copytree(outputs / "caves", tmp_path / "caves")
    plans = tmp_path / "caves" / "plans.jsonl"
    plans.write_text(plans.read_text().splitlines()[0] + '\n{"run_id": "half')
    done = replay(tmp_path, "caves", "--instance", "unibz_w1")
    assert done.returncode == 0
    assert "line 2 is not a plan, skipped" in done.stderr
    (tmp_path / "caves" / "plans.jsonl").write_text('{"run_id": "a", "instance": "unibz_w1", "actions": ["FLY"]}')
    flying = replay(tmp_path, "caves")
    assert (flying.returncode, flying.stdout) == (2, "")
    assert "the plan of unibz_w1: there is no action 'FLY'" in flying.stderr
    for content in ("world: {name: wumpus/statik}", "world: [1", "", "world: {name: wumpus/static, suite: ubz}"):
        (tmp_path / "caves" / ".hydra" / "config.yaml").write_text(content)
        broken = replay(tmp_path, "caves", "--instance", "unibz_w1")
        assert broken.returncode == 2
        assert "Traceback" not in broken.stderr
        assert "error: " in broken.stderr
    shutil.rmtree(tmp_path / "caves" / ".hydra")
    assert replay(tmp_path, "caves", "--instance", "unibz_w1").returncode == 2


def test_a_gif_that_cannot_be_written_is_one_line(outputs: Path) -> None:
    done = replay(outputs, "caves", "--instance", "unibz_w1", "--out", "/proc/nowhere/x.gif")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --out: /proc/nowhere/x.gif: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_the_puzzle_experiments_have_their_known_results(tmp_path: Path) -> None:
    done = run(tmp_path, "+experiment=korf1985", "world.instances=[79,12]", "hydra.run.dir=korf")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "korf" / "metrics.csv")
    assert [(row["instance"], row["cost"], row["generated"]) for row in found] == [
        ("korf100_79", "42", "540859"), ("korf100_12", "45", "546343"),
    ]  # fmt: skip
    done = run(tmp_path, "-m", "+experiment=npuzzle_ci2024")
    assert done.returncode == 0, done.stderr
    found = rows(only(tmp_path, "outputs/sweep/*") / "results.csv")
    assert [row["instance"] for row in found] == ["walk-3x3-0", "walk-4x4-0", "walk-5x5-0"]
    assert {(row["status"], row["valid"]) for row in found} == {("solved", "True")}
    schedule = "geometric(initial=1.5,factor=1.05,every={},maximum=3.0,reorder_open=false)"
    assert [row["weighting"] for row in found] == [schedule.format(10**size) for size in (3, 4, 5)]
    assert float(found[0]["bound"]) == 1.5


def test_a_plugin_that_was_installed_can_be_named(tmp_path: Path) -> None:
    install(tmp_path, "line")
    assert run(tmp_path, "plugins=[line]", "world=my_line", "hydra.run.dir=out").returncode == 0
    record = tmp_path / "out" / ".hydra" / "config.yaml"
    record.write_text(record.read_text().replace("plugins:\n- line\n", "plugins: []\n"))  # as if it was installed
    (plan, *_) = rows(tmp_path / "out" / "metrics.csv")
    done = replay(tmp_path, "out", "--instance", plan["instance"])
    assert done.returncode == 2
    assert "there is no world 'my_line': a plug-in that is not installed any more registered it" in done.stderr
    done = replay(tmp_path, "out", "--instance", plan["instance"], "--plugins", "line")
    assert (done.returncode, done.stderr) == (0, "")


def test_mistakes_of_a_drawing_are_shown(tmp_path: Path) -> None:
    (tmp_path / "drawn.py").write_text(DRAWN)
    assert run(tmp_path, "plugins=[drawn]", "world=drawn", "algorithm=ucs", "hydra.run.dir=out").returncode == 0
    done = run(tmp_path, "replay", "out", "--out", "x.gif")
    assert done.returncode == 2
    problem = "TypeError: Drawn.draw() takes 2 positional arguments but 3 were given"
    assert done.stderr == f"error: drawn cannot be shown\n{problem}\n"
    assert not (tmp_path / "x.gif").exists()
    assert run(tmp_path, "report", "out", "--plugins", "drawn").returncode == 0
    assert f"drawn has no picture: {problem}" in (tmp_path / "out" / "report" / "report.html").read_text()


DRAWN = """
from dataclasses import dataclass
import runner


@runner.register("world", "drawn")
@dataclass(frozen=True)
class Drawn(runner.PythonWorld):
    def initial(self):
        return 0

    def successors(self, state):
        return [("step", state + 1, 1)]

    def is_goal(self, state):
        return state == 3

    def draw(self, state):
        pass
"""


def test_a_plan_that_is_not_possible_is_shown_up_to_there_with_the_reason(tmp_path: Path) -> None:
    done = run(tmp_path, "world=mapf/static", "algorithm=cbs", "hydra.run.dir=teams")
    assert done.returncode == 0, done.stderr
    plans = tmp_path / "teams" / "plans.jsonl"
    recorded = [json.loads(line) for line in plans.read_text().splitlines()]
    changed = [{**plan, "actions": ["rl"]} if plan["instance"] == "swap" else plan for plan in recorded]
    plans.write_text("".join(json.dumps(plan) + "\n" for plan in changed))
    done = replay(tmp_path, "teams", "--instance", "swap", "--out", "swap.svg")
    assert done.returncode == 0
    assert "note: swap: the plan does not reach the goal: step 1: agents 1 and 2 are both in (1, 1)" in done.stderr
