"""Logic agent of the online cave in plain Python, written from its description.

Rooms are counted from 1, the hunter starts at (1, 1) and faces east. Ties go to the smallest (x, y).
"""

from __future__ import annotations

from collections import deque

from worlds.wumpus.online import Percepts

STEP = {"E": (1, 0), "N": (0, 1), "W": (-1, 0), "S": (0, -1)}
FACINGS = "ENWS"
LEFT_OF = {"E": "N", "N": "W", "W": "S", "S": "E"}
RIGHT_OF = {after: before for before, after in LEFT_OF.items()}

Room = tuple[int, int]


def ahead(room: Room, facing: str) -> Room:
    return room[0] + STEP[facing][0], room[1] + STEP[facing][1]


def around(room: Room) -> list[Room]:
    return [ahead(room, facing) for facing in FACINGS]


def quarter_turns(facing: str, wanted: str) -> int:
    if facing == wanted:
        return 0
    return 1 if wanted in (LEFT_OF[facing], RIGHT_OF[facing]) else 2


def towards(one: Room, other: Room) -> list[str]:
    dx, dy = other[0] - one[0], other[1] - one[1]
    return [facing for facing in FACINGS if STEP[facing][0] * dx > 0 or STEP[facing][1] * dy > 0]


def estimate(one: Room, facing: str, other: Room) -> int:
    if one == other:
        return 0
    dx, dy = abs(one[0] - other[0]), abs(one[1] - other[1])
    return dx + dy + (dx > 0 and dy > 0) + min(quarter_turns(facing, wanted) for wanted in towards(one, other))


def is_ahead(room: Room, facing: str, target: Room) -> bool:
    """Return whether a target is on the line ahead."""
    dx, dy = target[0] - room[0], target[1] - room[1]
    return (dx * STEP[facing][0] > 0 and dy == 0) or (dy * STEP[facing][1] > 0 and dx == 0)


class LogicAgent:
    """Memory and decisions of the agent."""

    def __init__(self, sharp: bool = False) -> None:
        self.sharp = sharp
        self.at, self.facing = (1, 1), "E"
        self.explored: dict[Room, Percepts] = {}
        self.size: int | None = None
        self.shot: tuple[Room, str] | None = None
        self.grabbed = self.killed = False
        self.plan: deque[str] = deque()
        self.last = ""

    def act(self, percepts: Percepts) -> str:
        if self.last == "MOVE" and percepts.bump:
            self.size = self.size or max(ahead(self.at, self.facing)) - 1
            self.plan.clear()
        elif self.last == "MOVE":
            self.at = ahead(self.at, self.facing)
        self.killed = self.killed or percepts.scream
        if not self.plan:
            self.explored[self.at] = percepts
            self.plan.extend(self.decide(percepts))
        action = self.plan.popleft()
        if action in ("LEFT", "RIGHT"):
            self.facing = (LEFT_OF if action == "LEFT" else RIGHT_OF)[self.facing]
        self.grabbed = self.grabbed or action == "GRAB"
        if action == "SHOOT":
            self.shot = self.at, self.facing
        self.last = action
        return action

    def decide(self, percepts: Percepts) -> list[str]:
        safe, frontier, attacks = self.infer()
        if percepts.glitter and not self.grabbed:
            return ["GRAB"]
        if frontier and not self.grabbed:
            return self.path(min(frontier, key=lambda room: (estimate(self.at, self.facing, room), room)), safe)
        if attacks and not self.grabbed:
            return [self.attack(attacks, safe)]
        return ["CLIMB"] if self.at == (1, 1) else self.path((1, 1), safe)

    def infer(self) -> tuple[set[Room], set[Room], set[tuple[Room, str]]]:
        """Return the safe rooms, the frontier, and the rooms and facings to shoot from."""
        known = self.explored
        side = self.size or max(map(max, known)) + 1
        rooms = {(x, y) for x in range(1, side + 1) for y in range(1, side + 1)}
        breezy = {room for room, percepts in known.items() if percepts.breeze}
        smelly = {room for room, percepts in known.items() if percepts.stench}
        pits = {
            room
            for room in rooms - known.keys()
            if any(near in breezy for near in around(room))
            and not any(near in known and near not in breezy for near in around(room))
        }
        certain: set[Room] = set()
        possible: set[Room] = set()
        if not self.killed:
            certain = {room for room in rooms - known.keys() if self.must_be_wumpus(room, smelly, side)}
            if not certain:
                possible = {room for room in rooms - known.keys() if any(near in smelly for near in around(room))}
                possible = {room for room in possible if self.shot is None or not is_ahead(*self.shot, room)}
                if self.sharp:
                    calm = known.keys() - smelly
                    possible = {room for room in possible if not any(near in calm for near in around(room))}
                    if len(possible) == 1:
                        certain, possible = possible, set()
        dangerous = pits | certain | possible
        near = {room for room in rooms - dangerous if any(other in known for other in around(room))}
        safe = near | known.keys()
        targets = certain or possible
        attacks: set[tuple[Room, str]] = set()
        if not (self.shot or self.killed or self.grabbed or targets & pits):
            attacks = {(r, f) for r in safe for f in FACINGS if any(is_ahead(r, f, target) for target in targets)}
        return safe, safe - known.keys(), attacks

    def must_be_wumpus(self, room: Room, smelly: set[Room], side: int) -> bool:
        x, y = room
        for dx in (1, -1):
            for dy in (1, -1):
                if {(x + dx, y), (x, y + dy)} <= smelly and (x + dx, y + dy) in self.explored:
                    return True
        if {(x - 1, y), (x + 1, y)} <= smelly or {(x, y - 1), (x, y + 1)} <= smelly:
            return True
        corners = [(1, 1), *([(1, side), (side, 1), (side, side)] if self.size else [])]
        for corner in corners:
            others = [near for near in around(corner) if near != room and min(near) >= 1 and max(near) <= side]
            if corner in smelly and room in around(corner) and all(other in self.explored for other in others):
                return True
        return False

    def attack(self, attacks: set[tuple[Room, str]], safe: set[Room]) -> str:
        here = [facing for room, facing in attacks if room == self.at]
        if self.facing in here:
            return "SHOOT"
        if here:
            return self.turn(min(here, key=lambda facing: (quarter_turns(self.facing, facing), facing != self.left)))
        goal = min({room for room, _ in attacks}, key=lambda room: (estimate(self.at, self.facing, room), room))
        steps = {near: towards(self.at, near)[0] for near in around(self.at) if near in safe}
        following = (
            goal
            if goal in steps
            else min(
                steps,
                key=lambda room: (
                    quarter_turns(self.facing, steps[room]) + estimate(room, steps[room], goal),
                    room,
                ),
            )
        )
        return "MOVE" if steps[following] == self.facing else self.turn(steps[following])

    @property
    def left(self) -> str:
        return LEFT_OF[self.facing]

    def turn(self, wanted: str) -> str:
        """Return the next turn to a facing: left if it is behind."""
        return "RIGHT" if wanted == RIGHT_OF[self.facing] else "LEFT"

    def path(self, goal: Room, safe: set[Room]) -> list[str]:
        """Return a shortest path through explored rooms (sharp: safe ones). Ties: arrival E, N, W, S, in this order."""
        allowed = {goal, *(safe if self.sharp else self.explored)}
        start = self.at, self.facing
        found: dict[tuple[Room, str], list[str]] = {start: []}
        queue = deque([start])
        while queue:
            room, facing = state = queue.popleft()
            for action, after in (
                ("MOVE", (ahead(room, facing), facing)),
                ("LEFT", (room, LEFT_OF[facing])),
                ("RIGHT", (room, RIGHT_OF[facing])),
            ):
                if after not in found and after[0] in allowed:
                    found[after] = [*found[state], action]
                    queue.append(after)
        ends = [found[goal, facing] for facing in FACINGS if (goal, facing) in found]
        return min(ends, key=len)
