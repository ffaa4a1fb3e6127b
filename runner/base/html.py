"""HTML: pages from templates, and tables in notebooks. Values are escaped, and unknown names are errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any


def render_page(template: Path, finalize: Callable[[Any], Any] | None = None, **values: Any) -> str:
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


def html_table(rows: Iterable[Sequence[object]], header: Sequence[str] = ()) -> str:
    """Return rows as an HTML table. The first cell of each row is its heading."""
    head = "".join(f"<th>{escape(each)}</th>" for each in header)
    body = "".join(
        f"<tr><th>{escape(str(first))}</th>{''.join(f'<td>{escape(str(each))}</td>' for each in rest)}</tr>"
        for first, *rest in rows
    )
    left = "text-align: left; white-space: pre-wrap"
    return f'<table style="{left}">{f"<thead><tr>{head}</tr></thead>" if head else ""}<tbody>{body}</tbody></table>'
