"""Reads orders from CSV files, one line of an order in each row."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from .models import Order, OrderLine


class LoadError(Exception):
    """A row that is not a line of an order."""


def load_orders(path: Path) -> list[Order]:
    """Read all orders of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return group_rows(rows)


def group_rows(rows: Iterable[dict[str, str]]) -> list[Order]:
    """Put the rows of each customer and day together."""
    orders: dict[tuple[str, date], Order] = {}
    for number, row in enumerate(rows, start=2):
        try:
            line = OrderLine(row["product"], int(row["quantity"]), int(row["unit_price"]))
            day = date.fromisoformat(row["day"])
            customer = row["customer"]
        except (KeyError, ValueError) as error:
            raise LoadError(f"row {number}: {error}") from error
        key = (customer, day)
        if key not in orders:
            orders[key] = Order(customer, day)
        orders[key].add(line)
    return list(orders.values())
