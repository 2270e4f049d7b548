"""One secret for a database, from its first day: what is sealed under another one could not be opened later.

The first vault that comes to a database seals a mark in it, which says nothing. Every vault after that has to open the
mark before it seals or opens anything else.
"""

from collections.abc import Iterator

from quorate.campaign.ledger import Seal, Store
from quorate.campaign.refusal import Tampered
from quorate.campaign.vault import Vault
from quorate.errors import InvalidInput

# No campaign has this name.
NO_CAMPAIGN = ""
MARK = "mark"


def check_secret(store: Store, vault: Vault) -> None:
    """Raises InvalidInput where what this store holds was sealed under another secret."""
    mark = store.seals(NO_CAMPAIGN, [MARK]).get(MARK)
    if mark is None:
        older = list(_older_seals(store))
        # A single one that was damaged must not lock everybody out.
        if older and not any(_opens(vault, ciphertext, context) for context, ciphertext in older):
            raise _another()
        mark = store.seal_once(NO_CAMPAIGN, Seal(MARK, vault.seal(b"", MARK)))
    if not _opens(vault, mark, MARK):
        raise _another()


def holds_seals(store: Store) -> bool:
    """Whether there is a secret that belongs to what is in this store."""
    return bool(store.seals(NO_CAMPAIGN, [MARK])) or next(_older_seals(store), None) is not None


def _older_seals(store: Store) -> Iterator[tuple[str, bytes]]:
    """Of a database that has no mark yet: what its campaigns have sealed, with the context of each."""
    for campaign in store.campaigns():
        for name, ciphertext in store.seals(campaign).items():
            yield f"{campaign}/{name}", ciphertext
        for hook in store.hooks(campaign):
            yield f"{campaign}/hook", hook.secret


def _opens(vault: Vault, ciphertext: bytes, context: str) -> bool:
    try:
        vault.open(ciphertext, context)
    except Tampered:
        return False
    return True


def _another() -> InvalidInput:
    return InvalidInput(
        "the secret given does not open what is sealed in this database: all who work on it need the one that it was "
        "first used with; give that one (QUORATE_SECRET, or the file with the ending .secret beside a SQLite database)"
    )
