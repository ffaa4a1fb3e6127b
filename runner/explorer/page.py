"""The explorer's page: one HTML file without requests to other files."""

from __future__ import annotations

from pathlib import Path


def page(title: str, data: str) -> str:
    """Return the page.

    Parameters
    ----------
    title : str
    data : str
        Content, as `runner.explorer.content.page_data` returns it.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(title=title, data=data)
