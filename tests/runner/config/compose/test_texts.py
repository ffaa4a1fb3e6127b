"""Keys that are texts have the text that was typed, wherever it stands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from runner.base.errors import UserError
from runner.config.request.request import Request
from runner.execution.cells import combinations
from tests.runner_cli import run

ODD = [
    "010", "0o17", "1_000", "1e3", "1.10", "1.0", ".5", "-1.50", "+3", "12:30", "0x1F", "True", "FALSE", "on", "no",
    "2024-01-01", "41e2025", "680841e1", "1_1_1", "nan", "Infinity",
]  # fmt: skip
"""Texts that YAML or Hydra's grammar, or both, read as something else."""
PLAIN = {"10": 10, "1.5": 1.5, "true": True, "word": "word"}
"""Texts of values that a program is given as they are: these keep their types, and their searches their `run_id`."""


def resolved(*words: str, folder: Path | None = None) -> dict[str, Any]:
    return Request(words, config_dirs=(folder,) if folder else ()).single.resolved


def choice(folder: Path, text: str, name: str = "mine", group: str = "algorithm") -> Path:
    file = folder / group / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return folder


def test_words_and_arguments_are_what_was_typed_in_files_and_on_the_command_line(tmp_path: Path) -> None:
    words = [*ODD, *PLAIN]
    listed = ", ".join(words)
    given = ", ".join(f"a{number}: {word}" for number, word in enumerate(words))
    expected = [*ODD, *PLAIN.values()]
    choice(tmp_path, f"name: program\ncommand: [{listed}, '010', \"True\"]\narguments: {{{given}}}\n")
    in_file = resolved("algorithm=mine", folder=tmp_path)["algorithm"]
    assert in_file["command"] == [*expected, "010", "True"]
    assert [*in_file["arguments"].values()] == expected
    typed = resolved("algorithm=program", f"algorithm.command=[{listed}]", f"algorithm.arguments={{{given}}}")
    assert typed["algorithm"]["command"] == expected
    assert [*typed["algorithm"]["arguments"].values()] == expected
    for word, value in [*zip(words, expected, strict=True)][::4]:
        one = resolved("algorithm=mine", f"algorithm.arguments.a0={word}", folder=tmp_path)["algorithm"]["arguments"]
        assert (one["a0"], type(one["a0"])) == (value, type(value))


SOME = ["010", "True"]
OTHERS = [text for text in (*ODD, "7", "2026_11_28", "true") if text not in SOME]


@pytest.mark.parametrize("text", [*SOME, *(pytest.param(text, marks=pytest.mark.long) for text in OTHERS)])
def test_labels_paths_and_folders_are_what_was_typed(text: str, tmp_path: Path) -> None:
    choice(tmp_path, f"# @package _global_\nlabel: {text}\nhydra: {{sweep: {{dir: {text}}}}}\n", group="experiment")
    chosen = Request(("+experiment=mine", "hydra.sweep.subdir=${label}-1"), config_dirs=(tmp_path,)).single
    assert str(chosen.resolved["label"]) == text
    assert chosen.directory("sweep") == Path(text)
    assert chosen.subdirectory(0) == f"{text}-1"
    for path in (f"{tmp_path}/experiment/mine.yaml", f"./{os.path.relpath(tmp_path)}/experiment/mine.yaml"):
        by_path = Request((f"+experiment='{path}'", f"hydra.run.dir={text}")).single
        assert (str(by_path.resolved["label"]), by_path.directory("run")) == (text, Path(text))
    typed = Request(
        (f"label={text}", "world=npuzzle/file", f"world.path={text}", f"hydra.sweep={{dir: {text}}}")
    ).single
    assert str(typed.resolved["label"]) == typed.resolved["world"]["path"] == text
    assert typed.directory("sweep") == Path(text)
    stack = resolved(f"heuristic={{stack: [{{name: file, path: {text}}}]}}")["heuristic"]["stack"]
    assert stack == [{"name": "file", "path": text}]


def test_texts_are_kept_by_interpolations_and_by_choices_with_such_names(tmp_path: Path) -> None:
    choice(tmp_path, "name: program\ncommand: [x]\narguments: {a: 010, b: 1.10}\n", name="2026_11")
    found = resolved(
        "algorithm=2026_11",
        "+algorithm.title=v${algorithm.arguments.b}",
        "label=${algorithm.arguments.a}",
        folder=tmp_path,
    )
    assert (found["algorithm"]["title"], found["label"]) == ("v1.10", "010")


def test_numbers_and_booleans_are_read_as_before(tmp_path: Path) -> None:
    choice(tmp_path, "# @package _global_\nworld: {seed: 1_0, size: 0x2}\npin: on\n", group="experiment")
    found = resolved("world=npuzzle/random", "+experiment=mine", "limits.time=1e1", "world.count=1_0", folder=tmp_path)
    assert found["world"] | {"seed": 10, "size": 2, "count": 10} == found["world"]
    assert (found["pin"], found["limits"]["time"]) == (True, 10.0)
    assert resolved("label=null")["label"] is None


def test_a_text_that_is_written_in_two_ways_is_refused(tmp_path: Path) -> None:
    choice(tmp_path, "name: program\ncommand: [x]\narguments: {a: 1.10}\n")
    choice(tmp_path, "# @package _global_\nalgorithm: {arguments: {a: 1.1}}\n", group="experiment")
    with pytest.raises(UserError, match=r"algorithm\.arguments\.a: 1\.1 or 1\.10\? .*quotes"):
        resolved("algorithm=mine", "+experiment=mine", folder=tmp_path)
    with pytest.raises(UserError, match=r"algorithm\.command\[1\]: expected .*got null; put quotes round it"):
        _, omitted = combinations(Request(("algorithm=program", "algorithm.command=[x,null]"), is_sweep=True))
        raise UserError(omitted[0].problem)


SWEPT = "algorithm.arguments.a"
WORDS = ["1.10", "1.1", "010", "True", "true", "10"]


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("", f"+{SWEPT}={','.join(WORDS)}"),
        ("", f"+{SWEPT}=choice({','.join(WORDS)})"),
        (f"product: {{+{SWEPT}: [{', '.join(WORDS)}]}}", ""),
        (f"product: {{+{SWEPT}: '{','.join(WORDS)}'}}", ""),
        (f"zip: [{{+{SWEPT}: [{', '.join(WORDS)}], world.seed: [1, 1, 1, 1, 1, 1]}}]", ""),
        (f"cells: [{', '.join(f'{{+{SWEPT}: {word}}}' for word in WORDS)}]", ""),
        ("", f"sweep.cells=[{','.join(f'{{+{SWEPT}: {word}}}' for word in WORDS)}]"),
        (f"cells: [[{{+{SWEPT}: [{', '.join(WORDS)}]}}]]", ""),
        (f"cells: [{', '.join(f'{{++algorithm.arguments: {{a: {word}}}}}' for word in WORDS)}]", ""),
    ],
)
def test_sweeps_take_texts_as_they_were_typed(section: str, words: str, tmp_path: Path) -> None:
    choice(tmp_path, "name: program\ncommand: ['{a}']\narguments: {}\n")
    choice(tmp_path, f"# @package _global_\nsweep: {{{section}}}\n" if section else "", group="experiment")
    base = ("algorithm=mine", *(["+experiment=mine"] if section else []), "world=npuzzle/random")
    space = Request((*base, words) if words else base, is_sweep=True, config_dirs=(tmp_path,))
    composed = [
        space.composer.compose([each.override for each in choices]).resolved["algorithm"]["arguments"]["a"]
        for choices in space.space.cells()
    ]
    assert composed == ["1.10", 1.1, "010", "True", True, 10]


def test_numbers_that_a_range_yields_are_no_texts(tmp_path: Path) -> None:
    choice(tmp_path, "name: program\ncommand: ['{a}']\narguments: {}\n")
    words = ("algorithm=mine", f"+{SWEPT}=range(0.1,1.01,0.1)")
    request = Request(words, is_sweep=True, config_dirs=(tmp_path,))
    points = [[each.override for each in choices] for choices in request.space.cells()]
    values = [request.composer.compose(each).resolved["algorithm"]["arguments"]["a"] for each in points]
    assert values == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]


def test_exclusions_compare_texts_as_they_were_typed(tmp_path: Path) -> None:
    choice(tmp_path, "name: program\ncommand: ['{a}']\narguments: {}\n")
    text = f"# @package _global_\nsweep: {{exclude: [{{{SWEPT}: 1.10}}, {{{SWEPT}: [010, on]}}]}}\n"
    choice(tmp_path, text, group="experiment")
    words = ("algorithm=mine", "+experiment=mine", f"+{SWEPT}=1.10,1.1,010,8,on,true")
    request = Request(words, is_sweep=True, config_dirs=(tmp_path,))
    assert [choices[-1].value for choices in request.space.cells()] == [1.1, 8, True]


def test_a_program_is_given_its_words_and_a_dry_run_shows_them(tmp_path: Path) -> None:
    script = tmp_path / "show.py"
    script.write_text("#!/usr/bin/env python3\nimport sys\nprint('words', sys.argv[1:])\nprint('moves R')\n")
    script.chmod(0o755)
    (tmp_path / "one.txt").write_text("1 0 2 3 4 5 6 7 8\n")
    choice(tmp_path / "conf", "name: program\ncommand: [./show.py, 1_000, on, '{a}']\narguments: {a: 0x1F}\n"
           "plan: {pattern: 'moves(.*)', format: moves}\nkeep: all\n")  # fmt: skip
    words = ["--config-dir", "conf", "algorithm=mine", "world=npuzzle/file", "world.path=one.txt", "label=1.10"]
    dry = run(tmp_path, *words, "dry_run=true")
    assert "./show.py 1_000 on 0x1F\n" in dry.stdout
    done = run(tmp_path, *words, "hydra.run.dir=1_0")
    assert done.returncode in (0, 1), done.stderr
    (log,) = (tmp_path / "1_0" / "logs").iterdir()
    assert "words ['1_000', 'on', '0x1F']" in log.read_text()
    assert ",1.10," in (tmp_path / "1_0" / "metrics.csv").read_text()
