"""Text on its way out: a page is never refused for what stands in a ledger."""


def writable(text: str) -> bytes:
    """In UTF-8. A ledger may hold halves of characters in payloads, from before they were refused: shown as "?"."""
    return text.encode("utf-8", "replace")
