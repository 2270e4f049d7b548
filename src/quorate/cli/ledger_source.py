"""Where `quorate ledger` reads from: a database, or a file that it has exported."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from quorate.campaign.chain import checked
from quorate.campaign.codec import canonical
from quorate.campaign.events import CampaignClosed
from quorate.campaign.ledger import Record, Store
from quorate.campaign.service import read_all
from quorate.errors import InvalidInput

EXPORT_SUFFIX = ".jsonl"


class Ledgers(Protocol):
    """Some campaigns' ledgers, each checked against its hash chain while it is read."""

    @property
    def names(self) -> list[str]: ...

    def count(self, name: str) -> int: ...

    def records(self, name: str) -> Iterator[Record]: ...

    def coin_seed(self, name: str) -> int | None: ...


@dataclass(frozen=True)
class InDatabase:
    """Of one store."""

    store: Store
    names: list[str]

    def count(self, name: str) -> int:
        return self.store.head(name).seq

    def records(self, name: str) -> Iterator[Record]:
        return read_all(self.store, name)

    def coin_seed(self, name: str) -> int | None:
        return _coin_seed(self.store.read(name, 0, 1, [CampaignClosed.kind]))


@dataclass(frozen=True)
class InFile:
    """Of one export."""

    by_campaign: dict[str, list[Record]]

    @property
    def names(self) -> list[str]:
        return list(self.by_campaign)

    def count(self, name: str) -> int:
        return len(self.by_campaign[name])

    def records(self, name: str) -> Iterator[Record]:
        return checked(name, self.by_campaign[name])

    def coin_seed(self, name: str) -> int | None:
        return _coin_seed([record for record in self.by_campaign[name] if record.kind == CampaignClosed.kind])


@contextmanager
def open_source(source: str, campaign: str | None) -> Iterator[Ledgers]:
    """The ledgers of all campaigns, or of one; never of none. Nothing is changed or created by reading them."""
    if source.endswith(EXPORT_SUFFIX):
        found = _read_export(Path(source))
        yield InFile({name: found[name] for name in _chosen(list(found), campaign)})
        return
    from quorate.store import reading

    with reading(_url(source)) as store:
        yield InDatabase(store, _chosen(store.campaigns(), campaign))


def _url(source: str) -> str:
    if "://" in source:
        return source
    if not Path(source).is_file():
        raise InvalidInput(
            f"there is no file {source}; give a SQLite file, an export ({EXPORT_SUFFIX}), or a database URL"
        )
    return f"sqlite:///{quote(str(Path(source).resolve()))}"


def _chosen(names: list[str], campaign: str | None) -> list[str]:
    """A check that checked nothing must not pass."""
    if not names:
        raise InvalidInput("there is no campaign here, so nothing was checked; give the database or export that has it")
    if campaign is None:
        return names
    if campaign not in names:
        raise InvalidInput(f"there is no campaign {campaign!r} here; there are {', '.join(names)}")
    return [campaign]


def _read_export(path: Path) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                given = json.loads(line)
                record = Record(given["seq"], given["at"], given["kind"], canonical(given["body"]), given["hash"])
                found.setdefault(given["campaign"], []).append(record)
            except (ValueError, KeyError, TypeError) as error:
                raise InvalidInput(
                    f"{path}, line {number}: not an event of an exported ledger ({error!r}); export it again"
                ) from error
    return found


def _coin_seed(closed: list[Record]) -> int | None:
    if not closed:
        return None
    seed = json.loads(closed[0].body).get("coin_seed")
    return None if seed is None else int(seed, 16)
