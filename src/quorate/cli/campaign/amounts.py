"""Money for people, from what the API sends."""

from decimal import Decimal


def amount(sent: str) -> str:
    """Every digit, thousands apart."""
    return f"{Decimal(sent):,f}"
