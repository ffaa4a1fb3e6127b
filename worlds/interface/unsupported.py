"""Files of users that cannot be read: what a source does with them, and the instances that stand for them in rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from runner.base import MAX_BYTES, Unsupported, UserError, open_regular, plural
from worlds.interface.world import Looks, Playable

Unreadable = Literal["row", "skip", "refuse"]
"""Treatment of files that a source cannot read: a row for each, none, or no search at all."""
_MAX_NAMED = 5
"""Maximum number of files that a message names."""


@dataclass(frozen=True)
class Refusal:
    """File that cannot be read.

    Attributes
    ----------
    reason : str
        What is wrong, with the file and the line.
    """

    path: Path
    reason: str

    def digest(self) -> str:
        """Return a digest of the content of the file and of the reason, without the folders that the reason names."""
        content = b""
        with suppress(UserError, OSError), open_regular(self.path, None) as file:
            content = file.read(MAX_BYTES)
        return sha256(content + re.sub(r"\S*[/\\]", "", self.reason).encode()).hexdigest()


def summary(refusals: Iterable[Refusal]) -> str:
    """Return the reasons of the first files, each once: instances may share a file, such as a domain of tasks."""
    reasons = dict.fromkeys(each.reason for each in refusals)
    more = len(reasons) - _MAX_NAMED
    named = "; ".join(islice(reasons, _MAX_NAMED))
    return named if more <= 0 else f"{named}; and {plural(more, 'more file')}"


@dataclass(frozen=True)
class UnsupportedWorld(Looks, Playable):
    """Instance of a file that cannot be read. It has a row, but neither states nor steps.

    Whatever asks for a part of it, such as an agent for its game, gets the reason.
    """

    of_domain: str
    refusal: Refusal = field(repr=False)
    max_successors = 1

    @property
    def domain(self) -> str:
        return self.of_domain

    def _refuse(self, *_: object, **__: object) -> Any:
        raise Unsupported(self.refusal.reason)

    initial = successors = is_goal = as_played = new_game = _refuse

    def identity(self) -> dict[str, Any]:
        return {"unsupported": self.refusal.digest()}
