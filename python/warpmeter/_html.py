"""Flows as a notebook shows them."""

from collections.abc import Sequence
from datetime import datetime, timezone
from html import escape
from typing import Any

_UNITS = {"timestamp[ns, tz=UTC]": 10**9, "timestamp[us, tz=UTC]": 10**6}
_MOST_PLACES = 5  # of damage, and lines of warnings


def _time(value: int, unit: int) -> str:
    digits = len(str(unit)) - 1
    seconds, rest = divmod(value, unit)
    try:
        return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d %H:%M:%S}.{rest:0{digits}}"
    except (OverflowError, ValueError):  # years that datetime has not
        return str(value)


def _cell(value: Any, kind: str) -> str:
    if value is None:
        text = ""
    elif kind in _UNITS:
        text = _time(value, _UNITS[kind])
    elif isinstance(value, float):
        text = f"{value:.6g}"
    elif isinstance(value, list):
        text = ", ".join(map(str, value))
    else:
        text = str(value)
    return f"<td style='text-align:{'left' if kind == 'string' or 'list' in kind else 'right'}'>{escape(text)}</td>"


def _lines(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    shown = "".join(f"<li>{escape(line)}</li>" for line in lines[:_MOST_PLACES])
    more = f"<li>and {len(lines) - _MOST_PLACES} more</li>" if len(lines) > _MOST_PLACES else ""
    return f"<p><b>{escape(title)}</b></p><ul>{shown}{more}</ul>"


def table_of(
    head: str, schema: dict[str, str], columns: Sequence[list[Any]], rows: int, summary: dict[str, Any],
    warnings: list[str],
) -> str:  # fmt: skip
    """`columns`: the values of the first rows, of which there are `rows` in all."""
    names = "".join(f"<th title='{escape(kind)}'>{escape(name)}</th>" for name, kind in schema.items())
    body = "".join(
        f"<tr>{''.join(map(_cell, row, schema.values()))}</tr>" for row in zip(*columns, strict=True)
    )  # fmt: skip
    shown = len(columns[0]) if columns else 0
    more = f"<p>{rows - shown} more rows</p>" if rows > shown else ""
    totals = ", ".join(f"{name} {value}" for name, value in summary.get("totals", {}).items() if value)
    damage = [f"{place['file']}: byte {place['offset']}: {place['reason']}" for place in summary["damage"]]
    of_damage = {f"{place['file']}: damaged at byte {place['offset']}" for place in summary["damage"]}
    others = [line for line in warnings if not any(line.startswith(start) for start in of_damage)]
    return (
        f"<p>{escape(head)}</p><div style='overflow-x:auto'><table><thead><tr>{names}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>{more}"
        + (f"<p><b>Totals</b> {escape(totals)}</p>" if totals else "")
        + _lines("Damage", damage)
        + _lines("Warnings", others)
    )
