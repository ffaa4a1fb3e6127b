"""Animations of plans and searches: files, pictures in notebooks, and the options of commands that write them."""

from __future__ import annotations

import base64
import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import IO, TYPE_CHECKING, Any

from runner.base import UserError, atomic_write, suggest
from worlds.drawing import draw_text, drawn, text_size
from worlds.interface import Frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image

    from runner.config import ArgumentParser

_LAST_FRAME = 4
"""Number of delays for which the last frame is shown."""
_MAX_FRAMES = 200
_INCHES, _DPI = (4.0, 4.2), 100  # even numbers of pixels, for videos
_CAPTION = 23
"""Height of the caption of a picture, in points."""
_ROUNDING = 0.1
"""Pixels that are added to a size, because matplotlib rounds it down."""
_SIDES = 100, 2560
"""Least and largest side of a picture, in pixels."""
_SVG = Path(__file__).with_name("animation.svg")
"""Template of SVG files."""


class Animation:
    """Frames of a plan that is played. A notebook shows it as a GIF.

    Of more than 200 frames it shows every second one, every third, and so on, and the last.

    Parameters
    ----------
    frames : sequence of Frame
    delay : float
        Seconds between two frames. The last frame is shown four times as long.
    size : tuple of float
        Width and height in inches.
    """

    def __init__(self, frames: Sequence[Frame], delay: float = 0.5, size: tuple[float, float] = _INCHES) -> None:
        step = -(-(len(frames) - 1) // (_MAX_FRAMES - 1)) or 1
        self.frames, self.delay = [*frames[:-1:step], frames[-1]], delay
        self.size = size
        self.pixels: tuple[int, int] | None = None
        self._text_size = text_size(frame.text for frame in self.frames if frame.draw is None)

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.frames)

    def resized(self, width: int, height: int) -> Animation:
        """Return the animation in a size in pixels. Texts and lines grow with the pictures."""
        dpi = min(width / self.size[0], height / self.size[1])
        found = copy(self)
        found.size, found.pixels = (width / dpi, height / dpi), (width, height)
        return found

    def save(self, path: str | Path) -> None:
        """Write a file. It is written completely or not at all.

        Parameters
        ----------
        path : path
            Its extension chooses the format: ``.gif``, ``.svg`` (moves in browsers) or ``.mp4`` (needs the package
            imageio-ffmpeg); ``.png`` and ``.pdf`` are still pictures of the last frame.

        Raises
        ------
        UserError
            If there is no such format, or its library is missing.
        OSError
            If the file cannot be written.
        """
        path = Path(path)
        write = FORMATS.get(path.suffix.lower())
        if write is None:
            raise UserError(
                f"{path}: expected the extension of an animation or a picture{suggest(path.suffix, FORMATS)}"
            )
        with atomic_write(path, "wb") as file:
            write(self, file)

    def draw(self, frame: Frame, axes: Axes) -> None:
        """Draw a frame on empty axes."""
        if frame.draw is None:
            draw_text(frame.text, axes, self._text_size)
        else:
            frame.draw(axes)

    def _repr_html_(self) -> str:
        data = io.BytesIO()
        _write_gif(self, data)
        last = self.frames[-1]
        source = f"data:image/gif;base64,{base64.b64encode(data.getvalue()).decode()}"
        return f'<img src="{source}" alt="{escape(last.caption)}">'


def _write_gif(animation: Animation, file: IO[bytes]) -> None:
    from PIL.Image import Dither, Image, Quantize

    # Unlike a median cut, an octree keeps the colours of small things.
    quantized = partial(Image.quantize, colors=256, method=Quantize.FASTOCTREE, dither=Dither.NONE)
    pictures = list(map(quantized, _pictures(animation)))
    milliseconds = max(20, round(1000 * animation.delay))
    durations = [milliseconds] * (len(pictures) - 1) + [_LAST_FRAME * milliseconds]
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:], duration=durations, loop=0)


def _write_mp4(animation: Animation, file: IO[bytes]) -> None:
    try:
        from imageio_ffmpeg import write_frames
    except ImportError:
        raise UserError("MP4 files need ffmpeg: python -m pip install imageio-ffmpeg") from None
    pictures = list(_pictures(animation))
    if any(side % 2 for side in pictures[0].size):
        raise UserError(f"a video has even numbers of pixels, not {pictures[0].size[0]}x{pictures[0].size[1]}")
    video = write_frames(
        file.name, pictures[0].size, fps=1 / max(0.02, animation.delay), macro_block_size=2, output_params=["-f", "mp4"]
    )
    video.send(None)
    for picture in [*pictures, *pictures[-1:] * (_LAST_FRAME - 1)]:
        video.send(picture.tobytes())
    video.close()


def _write_svg(animation: Animation, file: IO[bytes]) -> None:
    """Write all frames one above the other. Each is visible for its share of the time."""
    from jinja2 import Template

    count, delay = len(animation), max(0.02, animation.delay)
    seconds = delay * (count - 1 + _LAST_FRAME)
    frames = []
    for number, frame in enumerate(animation.frames):
        caption, font = _fitted(frame.caption, animation.size[0])
        first, last = (f"{100 * each * delay / seconds:.4f}" for each in (number, number + 1))
        picture = drawn(partial(animation.draw, frame), (animation.size[0], animation.size[1] - 0.4))
        lines = caption.split("\n")
        frames.append({"first": first, "last": last, "caption": lines, "font": f"{font / 0.75:g}", "picture": picture})
    width, height = (f"{96 * inches:g}" for inches in animation.size)  # browsers draw 96 pixels to the inch
    template = Template(_SVG.read_text(encoding="utf-8"), trim_blocks=True, lstrip_blocks=True)
    values = {"width": width, "height": height, "pixels": animation.pixels, "seconds": f"{seconds:g}"}
    file.write(template.render(**values, frames=frames).encode())


def _write_png(animation: Animation, file: IO[bytes]) -> None:
    _save_frame(animation, animation.frames[-1], file, "png", metadata={"Software": None})


def _write_pdf(animation: Animation, file: IO[bytes]) -> None:
    metadata = dict.fromkeys(("CreationDate", "Creator", "Producer"))
    _save_frame(animation, animation.frames[-1], file, "pdf", metadata=metadata)


def _pictures(animation: Animation) -> Iterator[Image]:
    """Yield the frames as images."""
    from PIL import Image

    for frame in animation.frames:
        file = io.BytesIO()
        size = _save_frame(animation, frame, file, "rgba")  # without compression, which takes a fifth of the time
        yield Image.frombytes("RGBA", size, file.getvalue()).convert("RGB")


def _save_frame(animation: Animation, frame: Frame, file: IO[bytes], kind: str, **options: Any) -> tuple[int, int]:
    """Write one frame. Return its width and its height in pixels."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    across, down = animation.size
    dpi = _DPI if animation.pixels is None else animation.pixels[0] / across
    rounding = _ROUNDING / dpi
    figure = Figure(figsize=(across + rounding, down + rounding), dpi=dpi)
    animation.draw(frame, figure.add_axes((0.06, 0.04, 0.9, 0.87)))
    caption, font = _fitted(frame.caption, across)
    figure.suptitle(caption, y=0.99, fontsize=font, parse_math=False)
    # characters of exact widths; TrueType in PDF files
    with warnings.catch_warnings(), mpl.rc_context({"text.hinting": "none", "pdf.fonttype": 42}):
        warnings.simplefilter("ignore")  # matplotlib warns of characters that the font lacks
        figure.savefig(file, format=kind, **options)
    return figure.canvas.get_width_height()


def _fitted(caption: str, inches: float) -> tuple[str, float]:
    """Return a caption in lines that fit above a picture, and their font size. A very long one loses its end."""
    for font in (9.0, 8.0, 7.0, 6.0, 5.0):
        lines, most = wrap(caption, round(70 * inches / (0.62 * font))), int(_CAPTION / (1.2 * font))
        if len(lines) <= most:
            break
    return "\n".join(lines[:most]), font


FORMATS: dict[str, Callable[[Animation, IO[Any]], None]] = {
    ".gif": _write_gif,
    ".svg": _write_svg,
    ".mp4": _write_mp4,
    ".png": _write_png,
    ".pdf": _write_pdf,
}
"""Functions that write animations and pictures, by the extension of the file."""
STILL = (".png", ".pdf")
"""Extensions of files with one frame."""


def add_picture_options(parser: ArgumentParser, steps: str) -> None:
    """Add the options. `steps` are what a picture is taken after."""
    parser.add_argument("--size", metavar="WIDTHxHEIGHT", help="size of an animation or a picture in pixels (1280x720)")
    parser.add_argument("--step", metavar="N", type=int, help=f"show only the moment after N {steps}")


def parsed_size(text: str | None) -> tuple[int, int] | None:
    """Return the width and the height; None without a size.

    Raises
    ------
    UserError
        If it is not two numbers of pixels.
    """
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    sides = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(_SIDES[0] <= side <= _SIDES[1] for side in sides):
        raise UserError(f"--size: expected WIDTHxHEIGHT with {_SIDES[0]} to {_SIDES[1]} pixels each, got {text!r}")
    return sides
