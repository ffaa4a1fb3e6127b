"""HTML of tables in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(rows: Iterable[Sequence[object]], header: Sequence[str] = ()) -> str:
    """Return rows as an HTML table. The first cell of each row is its heading."""
    head = "".join(f"<th>{escape(each)}</th>" for each in header)
    body = "".join(
        f"<tr><th>{escape(str(first))}</th>{''.join(f'<td>{escape(str(each))}</td>' for each in rest)}</tr>"
        for first, *rest in rows
    )
    left = "text-align: left; white-space: pre-wrap"
    return f'<table style="{left}">{f"<thead><tr>{head}</tr></thead>" if head else ""}<tbody>{body}</tbody></table>'
