"""Exploration: one or two recorded searches of an instance, as a page, an animation or a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

from algorithms.programs.interface import ExternalPlanner
from runner.base import PluginError, UserError, atomic_write, render_page, suggest
from runner.execution import Stopped
from runner.features.explorer.animation import FORMATS as ANIMATIONS
from runner.features.explorer.animation import Animation
from runner.features.explorer.content import page_data
from runner.features.explorer.formats import posthoc_lines, trace_lines
from runner.features.explorer.frames import animation_of
from runner.features.explorer.recorder import Recording
from worlds.interface import Instance

_PAGE = Path(__file__).with_name("page.html")
FORMATS = {"page": ".html", "trace": ".jsonl", "posthoc": ".trace.yaml"}
"""Formats of files, and the end of their names. A page may also be an animation."""
MAX_STATES = 200_000
"""Number of reachable states up to which h_star is computed; the same as in conf/explore.yaml."""


def check_format(path: Path, format: str, searches: int) -> bool:
    """Return whether a file is an animation. Raise a UserError if it cannot be written in this format."""
    if format not in FORMATS:
        raise UserError(f"format: expected {', '.join(FORMATS)}, got {format!r}")
    suffix = path.suffix.lower()
    is_animation = format == "page" and suffix in ANIMATIONS
    if searches > 1 and (is_animation or format != "page"):
        kind = "an animation" if is_animation else f"a {format}"
        raise UserError(f"{kind} has one search; explore each separately")
    if format == "page" and not is_animation and suffix != FORMATS["page"]:
        hint = suggest(path.suffix, [FORMATS["page"], *ANIMATIONS])
        raise UserError(f"{path}: expected the extension of a page or of an animation{hint}")
    return is_animation


@dataclass(frozen=True, eq=False)
class Exploration:
    """Recorded searches of one instance. A notebook shows the page.

    Attributes
    ----------
    recordings : sequence of Recording
        One or two searches.
    max_states : int
        Number of reachable states up to which h_star of every state is computed.
    watch : callable or None
        Called with the number of states during long computations.
    """

    recordings: Sequence[Recording]
    max_states: int = MAX_STATES
    watch: Callable[[int], None] | None = None

    @cached_property
    def html(self) -> str:
        """The page.

        Raises
        ------
        UserError
            If `show`, `locate`, `draw` or a heuristic of the user raises an exception. The message has its traceback.
        """
        instance = self.instance
        with self._own_errors():
            data = page_data(instance, self.recordings, self.max_states, self.watch)
        return render_page(_PAGE, title=f"{instance.source}: {instance.id}", data=data)

    @property
    def instance(self) -> Instance:
        """The instance that was searched."""
        return self.recordings[0].instance

    def animation(self, step: int | None = None) -> Animation:
        """Return the animation of a single search: at most 60 pictures of what is expanded and open.

        Parameters
        ----------
        step : int, optional
            Number of expansions. The only picture shows the search after them.
        """
        return animation_of(self.recordings[0], self.watch, step)

    def save(
        self, path: str | Path, format: str = "page", *, size: tuple[int, int] | None = None, step: int | None = None
    ) -> None:
        """Write a file. It is written completely or not at all.

        Parameters
        ----------
        path : path
            A page ends with ``.html``. If the name ends with ``.gif``, ``.svg`` or ``.mp4``, an animation is written,
            and with ``.png`` or ``.pdf`` a picture.
        format : {"page", "trace", "posthoc"}
            The page that plays the searches, or the trace of one search: as JSON lines, or for the visualiser Posthoc.
        size : pair of int, optional
            Width and height of an animation or a picture in pixels.
        step : int, optional
            Number of expansions that a picture shows; default: all.

        Raises
        ------
        UserError
            If there is no such format, or a trace or an animation of two searches is requested.
        OSError
            If the file cannot be written.
        """
        path = Path(path)
        if check_format(path, format, len(self.recordings)):
            with self._own_errors():
                animation = self.animation(step)
                (animation if size is None else animation.resized(*size)).save(path)
            return
        text = self.html if format == "page" else self._lines(format)
        with atomic_write(path) as file:
            file.write(text)

    def _lines(self, format: str) -> str:
        recording = self.recordings[0]
        if not recording.watches_search:
            algorithm = recording.algorithm
            kind = "a program" if isinstance(algorithm, ExternalPlanner) else algorithm.registered_name
            raise UserError(f"format: a {format} has the expansions of a search; {kind} has none to watch")
        lines = {"trace": trace_lines, "posthoc": posthoc_lines}[format]
        with self._own_errors():
            return "\n".join(lines(self.recordings[0], self.max_states, self.watch)) + "\n"

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        """Raise exceptions of the user's code with their own traceback."""
        try:
            yield
        except (Stopped, UserError):
            raise
        except Exception as error:
            raise PluginError(f"{self.instance.id} cannot be shown", error) from None

    def _repr_html_(self) -> str:
        height = 1100 if len(self.recordings) > 1 else 900
        return f'<iframe srcdoc="{escape(self.html)}" style="width: 100%; height: {height}px; border: 0"></iframe>'
