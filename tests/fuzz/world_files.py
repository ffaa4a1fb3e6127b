"""Cases with world files: valid files, files with random changes, and files that are hard to read."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import yaml

from tests.fuzz.case import Case, Content, Fifo, Folder, Link
from tests.fuzz.tricky import NUMBERS, PATHS, TEXTS, mutated, mutated_bytes, surroundings, token
from worlds.npuzzle.sources import INSTANCES
from worlds.snake.sources import SUITES as SNAKE_SUITES
from worlds.wumpus.sources import SUITES as WUMPUS_SUITES

DOMAINS = {
    "wumpus": (".json", ".yaml", ".yml", ".txt"),
    "npuzzle": (".txt", ".csv"),
    "snake": (".txt",),
}
ALGORITHMS = ("algorithm=astar", "algorithm=ucs", "algorithm=bfs", "algorithm=random_agent")
TRICKY_NAMES = (
    "a\nb{}", "a\udcff{}", " {}", "-{}", "[x]{}", "*{}", "\u202ex{}", "x" * 240 + "{}", "a/b/../c{}", "{}", "a.{}.gz",
    "\x1b[31m{}", "a:b{}", "=1+1{}", "caf\u00e9{}", "[bold]x[/bold]{}",
)  # fmt: skip

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 0.5, 1e308, float("nan"), float("inf"), 10**18, 10**400, -(10**30), "", "N", "x",
    "NE",
    "a\nb", "\udcff", "\0", "x" * 1000, [], {}, [[]], [None], [[0, 0]], [0, 0], [1], [1, 2, 3], [1.0, 2.0], ["1", "2"],
    [[1, 1], [1, 1]], [[-1, 0]], [[0, 0, "N"]], [[0, 0, "Q"]], {"a": 1}, [[True, False]], [10**400, 1], "__class__",
    [[[0, 0]]],
)  # fmt: skip

HAND_MADE: dict[str, tuple[str, ...]] = {
    "wumpus": (
        "size 4\nwumpus 3 3\ngold 2 3\npit 4 1\npit 1 4\n",
        "size: [3, 3]\nhunters: [[0, 0, E]]\ngolds: [[2, 2]]\npits:\n- [1, 1]\nid: mine\n",
        "{size: [3, 3], hunters: [0, 0], golds: [2, 2]}",
        'size: &s [3, 3]\nhunters: [[0, 0, "N"]]\ngolds: [*s]\n',
        "a: &a {size: [3, 3]}\n<<: *a\ngolds: [[1, 1]]\n",
        "!!python/object/apply:os.system [touch owned]",
        "--- !!set {a, b}\n",
        "%YAML 9.9\n---\nsize: [3, 3]\n",
        "a\n---\nb\n",
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{c}: &{c} [{', '.join([f'*{p}'] * 9)}]\n" for p, c in zip("abcdefgh", "bcdefghi", strict=True)),
        "&a [*a]\n",
        "size: 2024-01-01\n",
        "id: !!binary aGVsbG8=\nsize: [3, 3]\nhunters: [0, 0]\ngolds: [1, 1]\n",
        "? [a, b]\n: c\n",
        "id: 0x10\nsize: [0b11, 3]\nhunters: [0, 0]\ngolds: [1, 1]\n",
        "size: [1:30, 3]\nhunters: [0, 0]\ngolds: [1, 1]\n",
        '{"size": [3, 3], "size": [4, 4], "hunters": [[0, 0]], "golds": [[1, 1]]}',
        '{"size": [2, 2], "hunters": [[0, 0]], "golds": [[0, 0]], "exits": [[1, 1]], "wumpuses": [[1, 0]], "id": 7}',
        '{"size": [1, 1], "hunters": [[0, 0]], "golds": [[0, 0]]}',
        '{"size": [1000, 1], "hunters": [[0, 0]], "golds": [[999, 0]]}',
        '{"size": [300, 300], "hunters": [[0, 0]], "golds": [[299, 299]]}',
    ),
    "npuzzle": (
        "1 2 3 4 5 6 7 0 8\n", "a: 1,2,3,4,5,6,7,8,0\nb: 8 7 6 5 4 3 2 1 0\n", "0 1 2 3\n", "# only a comment\n",
        "a: b: 0 1 2 3",
        ": 0 1 2 3\n", "a: 0 1 2 3\na: 3 2 1 0\n", "0 1 2 3 4 5\n", " ".join(map(str, range(100))), " ".join(map(str,
        range(400))),
        "id,board\nx,0 1 2 3\n", "board\n\"0 1 2\n3\"\n", "board,board\n0 1 2 3,1\n", "id\n1\n", '"', "board\n\0\n",
        "tiles\n1 0 2 3,,,\n",
        "1 2 3\n4 5 6\n7 8 0\n", "board\n" + "x" * 140_000 + "\n", "1.0 2 3 0\n", "0x1 2 3 0\n", "\u0661 2 3 0\n",
    ),
    "snake": (
        "3,3\n0,0\n1\n2,2,1\n", "# comment\n5,5\n\n0,0\n2\n1,1,2\n3,3,3\n", "1,1\n0,0\n0\n", "3,3\n0,0\n999999999\n",
        "64,64\n0,0\n1\n1,1,50\n",
        "3,3\n0,0\n1\n0,0,1\n", "3,3\n0,0\n2\n1,1,1\n1,1,1\n", "3,3\r0,0\r0\r", "3,3\n0,0\n1\n2,2,51\n",
        "65,65\n0,0\n0\n", "-1,-1\n0,0\n0\n",
    ),
}  # fmt: skip


WELL_FORMED: dict[str, Content] = {
    "wumpus": b"size 4\nwumpus 3 3\ngold 2 3\n", "npuzzle": b"1 2 3 4 5 6 7 0 8\n", "snake": b"3,3\n0,0\n1\n2,2,1\n",
}  # fmt: skip


@cache
def originals(domain: str) -> tuple[str, ...]:
    """Return the texts of the files in the package, and further texts."""
    found = {
        "wumpus": sorted(WUMPUS_SUITES.glob("*/*.json")),
        "npuzzle": sorted(INSTANCES.glob("*.csv")),
        "snake": sorted(SNAKE_SUITES.glob("*/*.txt")),
    }[domain]
    texts = [path.read_text(encoding="utf-8") for path in found]
    if domain == "npuzzle":  # three boards are enough
        texts = ["".join(text.splitlines(keepends=True)[:4]) for text in texts]
    return (*texts, *HAND_MADE[domain])


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {"size": [4, 4], "hunters": [[0, 0, "N"]], "golds": [[2, 3]], "pits": [[1, 1]], "wumpuses": [[3, 3]]}


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return all values in nested lists and mappings as (container, key). Any depth is allowed."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        value = waiting.pop()
        keys = range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else ()
        found += [(value, key) for key in keys]
        waiting += [value[key] for key in keys]
    return found


def _structural(text: str, source: random.Random) -> bytes:
    """Return a cave as JSON or YAML, with values of other types, or with fields removed or repeated."""
    data = _decoded(text)
    for _ in range(source.choice((1, 1, 2, 3))):
        places = _places(data)
        if not places:
            break
        container, key = source.choice(places)
        change = source.randrange(6)
        if change == 0:
            del container[key]
        elif change == 1 and isinstance(container, list):
            container.insert(key, container[key])
        elif change == 2 and isinstance(container, dict):
            container[source.choice(("id", "description", "blocks", "exits", "Size", "", "x" * 200, "a\nb"))] = (
                container[key]
            )
        elif change == 3:
            for _ in range(source.choice((1, 10, 300))):
                container[key] = [container[key]]
        else:
            container[key] = source.choice(VALUES)
    if source.random() < 0.3:
        try:
            return str(yaml.safe_dump(data, allow_unicode=True)).encode(errors="surrogatepass")
        except (yaml.YAMLError, RecursionError):
            pass
    return json.dumps(data, ensure_ascii=source.random() < 0.5).encode(errors="surrogatepass")


def _nested(text: str, source: random.Random) -> bytes:
    """Return a text that is nested too deeply, too long, or very repetitive."""
    depth = source.choice((50, 500, 5_000, 200_000))
    opening, closing = source.choice(
        (("[", "]"), ('{"a":', "}"), ("{a: ", "}"), ("- ", ""), ("[[", ""), ("(", ")"), ("? ", ""))
    )
    many = source.choice((1_000, 20_000))
    return source.choice(
        (
            opening * depth + closing * depth,
            f'{{"size": {opening * depth}1{closing * depth}}}',
            "".join(f"{' ' * level}a:\n" for level in range(min(depth, 500))),
            source.choice(NUMBERS) * many,
            f"{source.choice(NUMBERS)} " * many,
            text * min(many, 2_000_000 // max(1, len(text))),
            "\n" * many + text,
            "#" * many + "\n" + text,
            "x" * (many * 50),
            f'{{"id": {source.choice(TEXTS)!r}, "size": [3, 3], "hunters": [[0, 0]], "golds": [[1, 1]]}}',
        )
    ).encode(errors="surrogatepass")


def _encoded(text: str, source: random.Random) -> bytes:
    """Return a text in another encoding or with other line ends, compressed, or with a mark of another format."""
    change: Callable[[str], bytes] = source.choice(
        (
            lambda t: t.encode("utf-16"), lambda t: t.encode("utf-32"), lambda t: t.encode("utf-8-sig"),
            lambda t: b"\xef\xbb\xbf" * 2 + t.encode(),
            lambda t: gzip.compress(t.encode(), mtime=0), lambda t: t.encode().replace(b"\n", b"\r\n"),
            lambda t: t.encode().replace(b"\n", b"\x85"),
            lambda t: t.encode() + b"\0" * 100, lambda t: b"", lambda t: b"\xff\xfe",
            lambda t: t.encode().replace(b" ", b"\xc2\xa0"),
            lambda t: t.encode().replace(b"\n", "\u2028".encode()), lambda t: source.randbytes(source.choice((1, 100,
            10_000))),
            lambda t: b"PK\x03\x04" + source.randbytes(100), lambda t: b"\x1f\x8b",
        )
    )  # fmt: skip
    return change(text)


def _content(domain: str, source: random.Random) -> Content:
    text = source.choice(originals(domain))
    kind = source.randrange(20)
    if kind < 3:
        return text.encode()
    if kind < 6:
        return (
            _structural(text, source)
            if domain == "wumpus"
            else mutated(text, source, NUMBERS).encode(errors="surrogatepass")
        )
    if kind < 12:
        return mutated(text, source, (*NUMBERS, *TEXTS)).encode(errors="surrogatepass")
    if kind < 14:
        return mutated_bytes(text.encode(), source)
    if kind < 16:
        return _nested(text, source)
    if kind < 18:
        return _encoded(text, source)
    other = source.choice([name for name in DOMAINS if name != domain])
    special: tuple[Content, ...] = (
        Fifo(), Folder(), Link("/dev/zero"), Link("."), Link("nowhere"), Link("../outside.json"), Link("/etc/passwd"),
        source.choice(originals(other)).encode(), token(source).encode(errors="surrogatepass"),
    )  # fmt: skip
    return source.choice(special)


def world_file(source: random.Random) -> Case:
    """Return a case with a world file of any domain, valid or not."""
    domain = source.choice(list(DOMAINS))
    extension = source.choice(DOMAINS[domain])
    if source.random() < 0.85:
        name = f"world{extension}"
        path = name
        files = {name: _content(domain, source)}
    else:
        tricky = source.choice(TRICKY_NAMES).format(extension)
        files = {f"worlds/{name}": _content(domain, source) for name in (f"a{extension}", f"b{extension}", tricky)}
        if source.random() < 0.3:  # only the name is tricky
            files = {f"worlds/{tricky}": WELL_FORMED[domain]}
        path = source.choice(
            ("worlds", "worlds/*", f"worlds/{tricky}", "**", f"./worlds/../worlds/a{extension}", source.choice(PATHS))
        )
        files.update(surroundings() if source.random() < 0.2 else {})
    choices = [f"world={domain}/file", source.choice(ALGORITHMS if domain == "wumpus" else ALGORITHMS[:3])]
    if source.random() < 0.05:  # as an override, which is composed with the rest of the configuration
        return Case("worlds", (*choices, f"world.path={_quoted(path)}"), files)
    return Case("worlds", tuple(choices), files, path)


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
