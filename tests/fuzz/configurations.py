"""Cases with a configuration file in a folder for --config-dir: valid files, files with random changes, and bad files.

Configurations are trusted, so none tries to exhaust time or memory: no bombs of aliases or interpolations, no pipes.
"""

from __future__ import annotations

import gzip
import random
from functools import cache

from runner.config.compose.composer import CONF
from tests.fuzz import tricky
from tests.fuzz.case import Case, Content, Folder, Link
from tests.fuzz.overrides import WORKING_DIRECTORY, generated

GROUPS = ("world", "algorithm", "heuristic", "weighting", "limits", "experiment")

LOG_ELSEWHERE = """# @package _global_
hydra:
  job_logging: {version: 1, handlers: {f: {class: logging.FileHandler, filename: owned}}, root: {handlers: [f]}}
"""

WHOLE: tuple[str, ...] = (
    "# @package _global_\nworld:\n  suite: ${world.suite}\n",
    "# @package _global_\nworld:\n  suite: ${world}\n",
    "# @package _global_\nworld: ${world}\n",
    "# @package _global_\nworld: ${algorithm}\nalgorithm: ${world}\n",
    "a: &a [*a]\n",
    "a: &a {b: *a}\n",
    "&a a: *a\n",
    "<<: &a {<<: *a}\n",
    "a: &a {name: ucs}\n<<: *a\n",
    "<<: [{name: ucs}, {ties: fifo}]\n",
    "<<: 3\n",
    "name: ucs\nname: astar\n",
    "!!python/object/apply:os.system [touch owned]\n",
    "name: !!python/name:os.system\n",
    "name: !!binary aGVsbG8=\n",
    "name: !!set {a, b}\n",
    "name: 2024-01-01\n",
    "name: 2024-13-99\n",
    "name: !!timestamp x\n",
    "name: !!int x\n",
    "name: !!float x\n",
    "- a\n- b\n",
    "just a text\n",
    "3\n",
    "null\n",
    "---\n---\n",
    "a: 1\n---\nb: 2\n",
    "? [a, b]\n: c\n",
    "? {a: b}\n: c\n",
    "1: 2\nnull: 3\ntrue: 4\n1.5: x\n.nan: y\n",
    "%YAML 9.9\n---\nname: ucs\n",
    "%TAG ! tag:x,2000:\n---\n!y name: ucs\n",
    "# @package\nname: ucs\n",
    "# @package _group_\nname: ucs\n",
    "# @package _global_.a.b\nname: ucs\n",
    "# @package ..\nname: ucs\n",
    "# @package \udcff\nname: ucs\n",
    "defaults:\n  - self_again\n",
    "defaults:\n  - x\n  - _self_\n",
    "defaults:\n  - /algorithm/x\n",
    "defaults:\n  - x@a\n  - x@b\n",
    "defaults: 3\n",
    "defaults: [3, null, [], {a: b, c: d}, {a: [b]}]\n",
    "defaults:\n  - _self_\n  - _self_\n",
    "defaults:\n  - override /algorithm: nope\n",
    "defaults:\n  - override hydra/launcher: nope\n",
    "defaults:\n  - optional nope\n",
    "defaults:\n  - ../../x\n",
    "defaults:\n  - /../../x\n",
    "defaults:\n  - ${algorithm}\n",
    "defaults:\n  - world: ${algorithm.name}\n",
    "# @package _global_\nhydra:\n  run:\n    dir: outputs/mine\n",
    "# @package _global_\nhydra:\n  callbacks:\n    e: {_target_: numpy.savetxt, fname: owned, X: [1]}\n",
    "# @package _global_\nhydra:\n  launcher: {_target_: os.system, command: touch owned}\n",
    LOG_ELSEWHERE,
    "# @package _global_\nhydra:\n  output_subdir: ../../owned\n",
    "# @package _global_\nhydra:\n  job:\n    env_set: {X: 1}\n",
    "# @package _global_\nhydra:\n  searchpath: [file:///]\n",
    "# @package _global_\nsweep:\n  product:\n    algorithm: ucs,astar\n",
    "# @package _global_\nhydra:\n  sweeper:\n    params:\n      algorithm: ucs,astar\n",
    "# @package _global_\nsweep:\n  product:\n    algorithm.ties: range(1,1000000000)\n",
    "# @package _global_\nsweep: 3\n",
    "# @package _global_\nhydra: null\n",
    "# @package _global_\nhydra: {}\n",
    "# @package _global_\nplugins: [os]\n",
    "# @package _global_\nplugins: [nowhere.x]\n",
    "# @package _global_\nplugins: {a: b}\n",
    "# @package _global_\nworld: null\n",
    "# @package _global_\nworld: 3\nalgorithm: []\n",
    "# @package _global_\nlimits: [1]\nheuristic: x\n",
    "# @package _global_\nprogress: [true]\nretry: {a: b}\ndry_run: x\n",
)  # fmt: skip


@cache
def originals() -> tuple[tuple[str, str], ...]:
    """Return (group, text) of the configurations in the package."""
    return tuple(
        (file.relative_to(CONF).parts[0], file.read_text(encoding="utf-8"))
        for file in sorted(CONF.rglob("*.yaml"))
        if file.parent != CONF
    )


def _with_changed_lines(text: str, source: random.Random) -> str:
    """Remove, repeat or indent lines of a text, or replace their values."""
    lines = text.splitlines()
    for _ in range(source.choice((1, 1, 2, 3))):
        at = source.randrange(len(lines))
        key, colon, _ = lines[at].partition(":")
        change = source.randrange(7)
        if change == 0 and len(lines) > 1:
            del lines[at]
        elif change == 1:
            lines.insert(at, lines[at])
        elif change == 2:
            lines[at] = f"  {lines[at]}"
        elif change == 3:
            lines[at] = (
                source.choice(("- ", "&a ", "*a", "? ", "!!x ", "!!python/name:os.system ", "\t", "<<: ")) + lines[at]
            )
        elif colon:
            lines[at] = f"{key}: {tricky.token(source)}"
    return "\n".join(lines) + "\n"


def _content(group: str, source: random.Random) -> Content:
    text = source.choice([text for own, text in originals() if own == group])
    kind = source.randrange(20)
    if kind < 2:
        return text.encode()
    if kind < 9:
        return _with_changed_lines(text, source).encode(errors="surrogatepass")
    if kind < 12:
        return tricky.mutated(text, source).encode(errors="surrogatepass")
    if kind < 17:
        return source.choice(WHOLE).encode(errors="surrogatepass")
    if kind < 18:
        depth = source.choice((30, 300, 3_000))
        nested = source.choice(
            ("[" * depth + "]" * depth, "{a: " * depth + "1" + "}" * depth, "- " * depth + "x", "[" * depth)
        )
        return source.choice((nested, f"name: {nested}\n", f"{text}\nx: {nested}\n")).encode()
    special: tuple[Content, ...] = (
        b"", b"\0" * 100, bytes(range(256)), gzip.compress(text.encode(), mtime=0), text.encode("utf-16"),
        b"\xef\xbb\xbf" + text.encode(),
        Folder(), Link("x.yaml"), Link("nowhere"), Link("/etc/passwd"),
        tricky.token(source).encode(errors="surrogatepass"),
    )  # fmt: skip
    return source.choice(special)


def configuration(source: random.Random) -> Case:
    """Return a case with a configuration file, valid or not."""
    group = source.choice(GROUPS)
    files: dict[str, Content] = {**WORKING_DIRECTORY, f"mine/{group}/x.yaml": _content(group, source)}
    chosen = f"{group}=x" if group != "experiment" else "+experiment=x"
    arguments = ["--config-dir", "mine", chosen]
    if source.random() < 0.05:
        files["mine/config.yaml"] = files[f"mine/{group}/x.yaml"]
    if group == "experiment" and source.random() < 0.3:
        arguments.append("-m")
    elif source.random() < 0.1:
        arguments.append(generated(source))
    if group != "world":
        arguments.append("world=wumpus/static" if source.random() < 0.7 else "world=snake/static")
    return Case("configs", tuple(argument.replace("\0", "") for argument in arguments), files)
