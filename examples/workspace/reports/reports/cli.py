"""Prints a report: `python -m reports.cli FILE`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .loading import LoadError, load_orders
from .summary import Summary, revenue_by_customer, summarize


def format_price(cents: float) -> str:
    """Cents as people write them."""
    return f"{cents / 100:.2f}"


def format_report(summary: Summary, customers: dict[str, int]) -> str:
    """The report as text."""
    lines = [
        f"orders   {summary.orders}",
        f"revenue  {format_price(summary.revenue)}",
        f"average  {format_price(summary.average)}",
    ]
    for name, count in summary.best_sellers:
        lines.append(f"  {count} x {name}")
    for customer, revenue in sorted(customers.items()):
        lines.append(f"  {customer}: {format_price(revenue)}")
    return "\n".join(lines)


def main() -> int:
    """Read the file, print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    try:
        orders = load_orders(arguments.file)
    except LoadError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(format_report(summarize(orders), revenue_by_customer(orders)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
