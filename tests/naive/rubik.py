"""Rubik's cube as 54 stickers in space, which turns rotate."""

from __future__ import annotations

Vector = tuple[int, int, int]
Sticker = tuple[Vector, Vector]
"""Position of the cubie, and direction of the sticker: x to the right, y up, z to the front."""

NORMALS: dict[str, Vector] = {
    "U": (0, 1, 0), "D": (0, -1, 0), "F": (0, 0, 1), "B": (0, 0, -1), "L": (-1, 0, 0), "R": (1, 0, 0),
}  # fmt: skip


def dot(one: Vector, other: Vector) -> int:
    return sum(a * b for a, b in zip(one, other, strict=True))


def solved() -> dict[Sticker, str]:
    """Return the colour, which is the letter of a face, of each sticker."""
    steps = -1, 0, 1
    positions = [(x, y, z) for x in steps for y in steps for z in steps]
    return {(at, normal): face for at in positions for face, normal in NORMALS.items() if dot(at, normal) == 1}


def rotated(axis: Vector, vector: Vector) -> Vector:
    """Return a vector rotated clockwise by 90 degrees, seen from the tip of the axis."""
    (x, y, z), (a, b, c), along = vector, axis, dot(vector, axis)
    cross = (b * z - c * y, c * x - a * z, a * y - b * x)
    first, second, third = (along * n - m for n, m in zip(axis, cross, strict=True))
    return first, second, third


def turned(cube: dict[Sticker, str], turn: str) -> dict[Sticker, str]:
    """Return the cube after a turn such as U, U- or U2."""
    axis = NORMALS[turn[0]]
    for _ in range({"": 1, "-": 3, "2": 2}[turn[1:]]):
        cube = {
            ((rotated(axis, at), rotated(axis, normal)) if dot(at, axis) == 1 else (at, normal)): colour
            for (at, normal), colour in cube.items()
        }
    return cube
