"""Inputs that often break programs: numbers, texts, structures, interpolations, paths."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence

from tests.fuzz.case import Content, Fifo, Folder, Link

NUMBERS = [
    "NaN", "nan", ".nan", "inf", "-inf", ".inf", "-.inf", "1e999", "-1e999", "1e308", "5e-324", "-0", "-0.0", "0", "1",
    "2", "3", "-1", "0.5", "1.0", "0x10", "0b1", "0o7", "017", "1_000", "1e3", "1.", ".5", "+1", "--1", "1:30", "1,5",
    "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" + "0" * 30,
    "18446744073709551616", "1" + "0" * 400, "-1" + "0" * 400, "9" * 5000, "\u0663", "\uff11\uff12", "\u00b2", "\u2167",
]  # fmt: skip

TEXTS = [
    "", " ", "''", '""', "null", "~", "None", "true", "false", "yes", "off", "True", "???", "name", "none", "*", "-",
    ".",
    "\udcff", "a\udc80b", "\ufeff", "\u202eabc", "\u05d0\u05d1", "a\nb", "a\r\nb", "\r", "\t", "\x1b[31m", "\x07",
    "\x7f",
    "\u2028", "\u0000".replace("\0", "\x01"), "e\u0301" * 20, "\U0001f4a5", "x" * 300, "x" * 5000, "%s%n%x", "{0}",
    "{0.__class__}", "%(x)s", "__class__", "__init__", "_target_", "_args_", "_self_", "self", "cls", "where",
    "lambda: 0",
    "!!python/object/apply:os.system [touch owned]", "2024-01-01", "2024-01-01 00:00:00", "[bold]x[/bold]", "[/]",
    "[red",
]  # fmt: skip

STRUCTURES = [
    "[]", "{}", "[[]]", "[null]", "[true]", "[1,2,3]", "[1,[2,[3]]]", "{a:1}", "{a:{b:{c:1}}}", "[", "]", "{", "}",
    "[[",
    "]]", "{a", "a:1", "[,]", "[1,,2]", "{,}", "{:}", "{1:2}", "{null:1}", "{true:1}", "{[1]:2}", "'", '"', "\\", "\\'",
    "=", "==", ",", ",,", "|", ">", "&", "*a", "@", "%", "#", "$", "$$", "!", "?", ":", "::", "(", ")", "a b", "a=b",
    "[" * 40 + "]" * 40, "[" * 150 + "]" * 150, "[" * 700, "{a:" * 60 + "1" + "}" * 60, "{a:" * 300, "1," * 400 + "1",
    "[" + "1," * 400 + "1]", "(" * 200, "'" * 101, "\\" * 101, "[" + "[]," * 200 + "[]]",
]  # fmt: skip

INTERPOLATIONS = [
    "${", "${}", "${a}", "${.}", "${..}", "${world}", "${algorithm}", "${world.size}", "${world.count}", "${.size}",
    "${..world.size}", "${world.name}", "${hydra:}", "${hydra:run.dir}", "${hydra:job.num}", "${hydra:nope}",
    "${hydra}",
    "${oc.env:HOME}", "${oc.env:NOPE}", "${oc.env:NOPE,null}", "${oc.decode:'[1'}", "${oc.decode:'[1]'}",
    "${oc.create:1}",
    "${oc.create:{a:1}}", "${oc.dict.keys:world}", "${oc.dict.values:world}", "${oc.select:world.size}",
    "${oc.select:a,3}",
    "${oc.deprecated:world.size}", "${unique:}", "${unique:1}", "${power_of_ten:3}", "${power_of_ten:x}",
    "${power_of_ten:}",
    "${power_of_ten:-3}", "${power_of_ten:400}", "${power_of_ten:[1]}", "${power_of_ten:999999999}", "${job_folder:0}",
    "${job_folder:x}", "${job_folder:}", "${now:%Y}", "${now:%}", "${now:}", "${nope:1}", "${${algorithm.name}}",
    "${a:b:c}",
    "${" * 50 + "}" * 50, "${" * 300, "${a." * 20, "\\${a}", "$\\{a}", "${world.size}${world.size}",
    "x${algorithm.name}y",
    "${algorithm.name}${algorithm}", "${limits.time}", "${plugins}", "${heuristic.stack}", "${heuristic.stack.0}",
    "${hydra.job.name}", "${hydra.runtime.cwd}", "${python_version:}", "${python_version:x}",
]  # fmt: skip

SWEEPS = [
    "1,2", "a,b", "glob(*)", "glob(a*)", "glob([a*,b*],exclude=*s)", "glob(", "range(1,3)", "range(0)", "range(3,1)",
    "range(1,3,0)", "range(0,1000000000)", "range(0,1,1e-9)", "range(1.5,nan)", "choice(1,2)", "choice()",
    "interval(0,1)",
    "sort(3,1)", "sort()", "shuffle(1,2)", "shuffle(range(1,3))", "tag(a,1)", "tag(a,choice(1,2))", "int(3.7)",
    "int(x)",
    "float(1)", "str(1)", "bool(maybe)", "json_str(1)", "extend_list(1)", "int(" * 30 + "1" + ")" * 30, "nope(1)",
    "glob(1)",
    "choice(" * 20 + "1" + ")" * 20,
]  # fmt: skip

PATHS = [
    "..", "../..", "/", ".", "./", "//", "a/../../b", "../outside.json", "../*", "~", "~/x", "~root", "~nosuchuser",
    "*", "**",
    "**/*", "?", "[", "[a", "[!]", "*.json", "*/*/*", "/etc/passwd", "/dev/zero", "/dev/null", "/dev/stdin",
    "/dev/full",
    "/dev/urandom", "/proc/self/mem", "/proc/self/environ", "/proc/self/fd/0", "/nonexistent/x", "x" * 300, "x/" * 2000,
    "a\nb.json", "a\udcff.json", ".json", "-", "--", "loop", "dangling", "outside", "pipe", "folder", "empty", "binary",
    "packed.json.gz", "packed", "links", "links/**", "file:///etc", "http://localhost/", "C:\\x", "con",
    "outside/../..",
]  # fmt: skip

ALL: list[list[str]] = [NUMBERS, TEXTS, STRUCTURES, INTERPOLATIONS, SWEEPS, PATHS]


def token(source: random.Random) -> str:
    """Return one of these inputs."""
    return source.choice(source.choice(ALL))


def surroundings() -> dict[str, Content]:
    """Return unusual files for a working directory: links, a pipe, compressed and binary files."""
    return {
        "loop": Link("loop"),
        "dangling": Link("nowhere"),
        "outside": Link("../outside.json"),
        "zero": Link("/dev/zero"),
        "pipe": Fifo(),
        "folder": Folder(),
        "empty": b"",
        "binary": bytes(range(256)) * 4,
        "packed.json.gz": gzip.compress(b"{}", mtime=0),
        "packed": gzip.compress(b"\0" * 100_000, mtime=0),
        "links/one": Link("."),
        "links/two": Link("."),
        "links/up": Link("../.."),
    }


def mutated(text: str, source: random.Random, tokens: Sequence[str] = ()) -> str:
    """Return a text with one to four random changes."""
    for _ in range(source.choice((1, 1, 1, 2, 2, 3, 4))):
        at = source.randrange(len(text) + 1)
        to = min(len(text), at + source.choice((1, 1, 2, 5, 20)))
        change = source.randrange(6)
        if change == 0:
            text = text[:at] + text[to:]
        elif change == 1:
            text = text[:at] + text[at:to] * source.choice((2, 3, 50)) + text[to:]
        elif change == 2:
            text = text[:at]
        elif change == 3:
            text = text[:at] + chr(source.choice((*range(1, 128), 0x85, 0xA0, 0x2028, 0xFEFF, 0xFFFF))) + text[to:]
        else:
            inserted = source.choice(tokens) if tokens else token(source)
            text = text[:at] + inserted + text[at if change == 4 else to :]
    return text


def mutated_bytes(data: bytes, source: random.Random) -> bytes:
    """Return bytes with random changes: replaced, inserted, removed or repeated bytes."""
    content = bytearray(data)
    for _ in range(source.choice((1, 2, 5, 20))):
        at = source.randrange(len(content) + 1)
        change = source.randrange(4)
        if change == 0 and content:
            content[at % len(content)] = source.randrange(256)
        elif change == 1:
            content[at:at] = source.randbytes(source.choice((1, 4)))
        elif change == 2:
            del content[at : at + source.choice((1, 10))]
        else:
            content[at:at] = content[at : at + source.choice((1, 10, 100))]
    return bytes(content)
