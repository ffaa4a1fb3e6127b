"""Pages of HTML from templates. Values are escaped, and unknown names are errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def render(template: Path, finalize: Callable[[Any], Any] | None = None, **values: Any) -> str:
    """Return the page of a template, which may include files of its folder.

    Parameters
    ----------
    finalize : callable, optional
        Converts each value before it is written.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(template.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
    return environment.get_template(template.name).render(**values)
