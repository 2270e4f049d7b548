"""`quorate ledger verify | export | replay`, on a database and on an export."""

import json
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quorate.campaign import commands
from quorate.campaign.refusal import Unavailable
from quorate.campaign.sealed import Bid
from quorate.campaign.service import CampaignService
from quorate.cli.ledger import app
from quorate.cli.ledger_source import open_source
from quorate.errors import InvalidInput
from quorate.money import show
from quorate.store import open_store, open_vault
from tests.campaigns import RANDOMISED, UNIT, small


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ledger") / "x.db"
    url = f"sqlite:///{path}"
    store = open_store(url)
    service = CampaignService(store, open_vault(url, bytes(32)))
    for name in ("first", "second"):
        service.draft(small(payment=RANDOMISED), campaign=name)
        service.open(name)
        for number in range(3):
            service.enrol(name, f"w{number}")
            service.bid(name, number, Bid((number + 7) * UNIT + 123_457))
    service.close_auction("first")
    service.post_tasks("first", [commands.TaskSpec(gold=1) for _ in range(2)])
    for worker in range(3):
        service.answer("first", worker, 0, 1)
    service.close_campaign("first", force=True)
    service.close()
    store.close()
    return path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_verify_says_that_the_chain_is_intact(database: Path) -> None:
    code, text = run("verify", str(database))
    assert code == 0
    assert text.count("intact") == 2
    code, text = run("verify", f"sqlite:///{database}", "--campaign", "first", "--json")
    (found,) = json.loads(text)["campaigns"]
    assert found["intact"] is True
    assert len(found["hash"]) == 64


def test_replay_follows(database: Path) -> None:
    code, text = run("replay", str(database), "--json")
    assert code == 0
    first, second = json.loads(text)["campaigns"]
    assert (first["follows"], first["coins"], first["verdicts"]) == (True, "verified", 1)
    assert second["coins"] == "not revealed yet"
    code, text = run("replay", str(database), "-c", "first")
    assert f", 1 verdicts, {show(first['earned'])} earned, coins verified" in text, "people read units of currency"


def test_an_export_needs_no_database(database: Path, tmp_path: Path) -> None:
    out = tmp_path / "ledger.jsonl"
    assert run("export", str(database), "--out", str(out))[0] == 0
    assert run("verify", str(out))[0] == 0
    assert run("replay", str(out), "-c", "first")[0] == 0
    code, text = run("export", str(database), "-c", "first")
    assert code == 0
    assert [json.loads(line)["seq"] for line in text.splitlines()] == list(range(1, len(text.splitlines()) + 1))


def test_an_export_holds_no_bid_of_an_open_auction(database: Path) -> None:
    _, text = run("export", str(database), "-c", "second")
    assert "bid placed" in text
    assert "123457" not in text
    _, closed = run("export", str(database), "-c", "first")
    assert "7123457" in closed, "the search finds what is there"


def test_a_changed_export_is_found(database: Path, tmp_path: Path) -> None:
    out = tmp_path / "ledger.jsonl"
    run("export", str(database), "--out", str(out))
    out.write_text(out.read_text().replace('"name":"w1"', '"name":"eve"'))
    code, text = run("verify", str(out))
    assert code == 1
    assert "BROKEN" in text
    assert run("replay", str(out), "--json")[0] == 1


def test_a_changed_database_is_found(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "y.db"
    copy.write_bytes(database.read_bytes())
    with sqlite3.connect(copy) as connection:
        connection.execute("DROP TRIGGER ledger_no_update")
        connection.execute("UPDATE ledger SET body = replace(body, 'w1', 'eve') WHERE campaign = 'second'")
    connection.close()
    code, text = run("verify", str(copy), "--json")
    assert code == 1
    assert [one["intact"] for one in json.loads(text)["campaigns"]] == [True, False]


def test_wrong_sources_are_refused(database: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{}\n")
    for source, words in (
        (str(tmp_path / "missing.db"), "no file"),
        (str(tmp_path / "bad.jsonl"), "line 1"),
    ):
        with pytest.raises(InvalidInput, match=words):
            run("verify", source)
    with pytest.raises(InvalidInput, match="no campaign"):
        run("verify", str(database), "-c", "third")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("command", ["verify", "replay", "export"])
def test_what_is_read_is_not_touched(database: Path, tmp_path: Path, command: str) -> None:
    copy = tmp_path / "evidence #1? %20.db"
    copy.write_bytes(database.read_bytes())
    before = contents(tmp_path)
    assert run(command, str(copy))[0] == 0
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sqlite:///{}/nothere.db", "there is no database"),
        ("sqlite:///{}/nor/this.db", "there is no database"),
        ("{}/empty.csv", "is not a quorate database"),
        ("sqlite:///{}/empty.csv", "is not a quorate database"),
        ("{}/other.db", "is not a quorate database"),
        ("{}/empty.jsonl", "nothing was checked"),
        ("{}/fresh.db", "nothing was checked"),
    ],
)
def test_what_holds_no_ledger_is_refused_and_not_touched(tmp_path: Path, name: str, words: str) -> None:
    for empty in ("empty.csv", "empty.jsonl"):
        (tmp_path / empty).touch()
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE of_something_else (x)")
    connection.close()
    open_store(f"sqlite:///{tmp_path}/fresh.db").close()
    before = contents(tmp_path)
    for command in ("verify", "replay", "export"):
        with pytest.raises(InvalidInput, match=words):
            run(command, name.format(tmp_path))
    assert contents(tmp_path) == before


def test_events_that_are_only_in_the_log_are_read(tmp_path: Path) -> None:
    """As while a service runs: its last events are not in the file itself yet."""
    url = f"sqlite:///{tmp_path}/x.db"
    store = open_store(url)
    service = CampaignService(store, open_vault(url, bytes(32)))
    service.draft(small(), campaign="live")
    code, text = run("verify", url, "--json")
    assert (code, json.loads(text)["campaigns"][0]["hash"]) == (0, store.head("live").hash)
    service.close()
    store.close()


def test_a_file_written_to_meanwhile_is_not_judged(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "y.db"
    copy.write_bytes(database.read_bytes())
    url = f"sqlite:///{copy}"
    source = open_source(url, None)
    assert source.__enter__().names == ["first", "second"]
    store = open_store(url)
    service = CampaignService(store, open_vault(url, bytes(32)))
    service.draft(small(), campaign="third")
    service.close()
    store.close()
    with pytest.raises(Unavailable, match="while it was read"):
        source.__exit__(None, None, None)
