"""`quorate campaign`: drafting, tokens, who may ask what and where; every refusal is one line."""

import http.server
import io
import threading
from typing import Any

import pytest

from quorate.campaign.ledger import Store
from quorate.cli.campaign.where import TOKEN_VARIABLE, URL_VARIABLE
from quorate.store import open_store
from tests.unit.cli.shell import NEW, Shell


def ledger(shell: Shell) -> Store:
    return open_store(shell.where[1])


class TestDrafting:
    def test_from_a_file_with_options_on_top(self, on_store: Shell) -> None:
        file = on_store.write(
            'title = "from a file"\ntarget = 0.7\nconfidence = 0.9\nhorizon = 50\ncap = "3"\n'
            '[policy]\nname = "assured"\nkappa = "3"\n'
        )
        on_store.ask(
            "new", "-c", "filed", "--settings", file, "--cap", "4", "--answer-hours", "2", "--policy", "assured"
        )
        settings = on_store.json("status")["settings"]
        assert (settings["title"], settings["cap"], settings["answer_within"]) == ("from a file", "4", 7_200_000)
        assert settings["policy"]["kappa"] == "3", "an option names the policy and leaves its parameters"

    def test_people_get_the_token(self, on_store: Shell) -> None:
        said = on_store.ask(*NEW, "-c", "scans").splitlines()
        assert said[0] == "scans is drafted; it is to be opened"
        on_store.requester = ["--token", said[1].rpartition(" ")[2]]
        assert on_store.json("status")["stage"] == "draft"

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (["new", "--title", "x"], "a campaign needs --target, --confidence, --horizon, --cap"),
            ([*NEW, "--target", "1.5"], "1.5"),
            ([*NEW, "--target", "nan"], "--target nan is not a number; give one such as 0.9"),
            ([*NEW, "--labels", "one"], "--labels 'one' is not two words; give two with a comma, such as no,yes"),
            ([*NEW, "--policy", "guess"], "guess"),
            ([*NEW, "--cap", "much"], "--cap 'much' is not a decimal number; give a non-negative decimal such as 0.25"),
            ([*NEW, "-c", "no spaces"], "--campaign 'no spaces' is no name; give 1 to 64 of letters, digits, - and _"),
            ([*NEW, "--answer-hours", "nan"], "--answer-hours nan is not above 0 and at most 87,600 hours"),
            ([*NEW, "--answer-hours", "1e308"], "--answer-hours 1e+308 is not above 0 and at most 87,600 hours"),
            ([*NEW, "--truth-hours", "0"], "--truth-hours 0 is not above 0 and at most 87,600 hours"),
            ([*NEW, "--exploring-at-once", "0"], "--exploring-at-once 0 is less than 1; give 1 or more"),
            ([*NEW, "--payment", "pay-as-bid"], "quorate campaign new --accept-untruthful"),
            (["new", "--settings", "no-such.toml"], "no-such.toml"),
        ],
    )
    def test_what_is_wrong_takes_one_line(self, on_store: Shell, given: list[str], said: str) -> None:
        on_store.ask(*given, code=2)
        assert said in on_store.err

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('target = "high"', "the setting target high is not a number"),
            ("horizon = 0.5", "the setting horizon 0.5 is not a whole number"),
            ("horizon = 0", "the setting horizon 0 is less than 1; give 1 or more"),
            ("bids_until = 0", "the setting bids_until 0 is less than 1; give 1 or more"),
            ("price = 3", "the setting price is not known"),
            ("[policy]\npool = -1", "the setting policy.pool -1 is less than 0"),
        ],
    )
    def test_a_wrong_setting_of_a_file_is_named_with_its_value(self, on_store: Shell, line: str, said: str) -> None:
        needed = {"title": '"x"', "target": "0.7", "confidence": "0.9", "horizon": "50", "cap": "3"}
        needed.pop(line.partition(" ")[0], None)
        file = on_store.write("".join(f"{name} = {value}\n" for name, value in needed.items()) + line + "\n")
        on_store.ask("new", "--settings", file, code=2)
        assert said in on_store.err

    @pytest.mark.parametrize("option", [[], ["--policy", "assured"]])
    def test_a_rule_is_a_table(self, on_store: Shell, option: list[str]) -> None:
        needed = 'title = "x"\ntarget = 0.7\nconfidence = 0.9\nhorizon = 50\ncap = "3"\n'
        on_store.ask("new", "--settings", on_store.write(needed + 'policy = "assured"\n'), *option, code=2)
        assert "the setting policy 'assured' is not a table; give its name in one, as policy.name" in on_store.err

    def test_amounts_as_people_write_them(self, on_store: Shell) -> None:
        on_store.ask(*NEW, "--cap", " 1e1 ")
        assert on_store.json("status")["settings"]["cap"] == "10"

    def test_a_settings_file_that_is_none(self, on_store: Shell) -> None:
        on_store.ask("new", "--settings", on_store.write("title: x\n"), code=2)
        assert "neither TOML nor JSON" in on_store.err

    def test_only_the_operator_drafts_at_a_service(self, at_service: Shell) -> None:
        at_service.draft()
        at_service(*NEW, code=2)
        assert "use a token of: operator" in at_service.err


class TestTokens:
    def test_issued_listed_and_revoked(self, shell: Shell) -> None:
        shell.auction()
        auditor = shell.json("issue", "auditor", "--label", "the board")["token"]
        assert shell.ask("status", "--token", auditor) == shell("status")
        assert "the board" in shell("tokens")
        digest = next(row["digest"] for row in shell.json("tokens")["items"] if row["label"] == "the board")
        assert shell("revoke", digest[:12]) == f"revoked: {digest}\n"
        shell.ask("status", "--token", auditor, code=2)
        assert "was revoked; give another with --token" in shell.err
        assert "Authorization" not in shell.err
        assert "revoked" in shell("tokens")
        again = shell("issue", "worker", "--worker", "bob")
        assert again.startswith("the worker's token, shown this once: qr_worker_")

    def test_a_digest_must_name_one(self, on_store: Shell) -> None:
        on_store.auction()
        for digest, said in (("", "4 tokens"), ("zz", "no tokens")):
            on_store("revoke", digest, code=2)
            assert said in on_store.err

    def test_roles_are_checked(self, on_store: Shell) -> None:
        on_store.auction()
        on_store("issue", "king", code=2)
        on_store("issue", "worker", code=2)
        assert "a worker's token names its worker" in on_store.err


class TestWhoAsks:
    @pytest.mark.parametrize("command", ["status", "workers", "verdicts", "statement", "list"])
    def test_a_service_wants_a_token(self, at_service: Shell, command: str) -> None:
        at_service.ask(command, code=2)
        assert TOKEN_VARIABLE in at_service.err
        at_service.ask(command, "--token", "qr_requester_0000", code=2)
        assert "unauthenticated" in at_service.err
        at_service.ask(command, "--token", "é\n", code=2)
        assert "the token given is none" in at_service.err

    def test_token_and_address_from_the_environment(self, at_service: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        at_service.draft()
        monkeypatch.setenv(TOKEN_VARIABLE, at_service.requester[1])
        monkeypatch.setenv(URL_VARIABLE, at_service.where[1])
        expected = at_service("status")
        at_service.where = []
        assert at_service.ask("status") == expected

    def test_the_environment_is_not_for_a_store(self, on_store: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        on_store.draft()
        monkeypatch.setenv(TOKEN_VARIABLE, "qr_requester_of-another-place")
        monkeypatch.setenv(URL_VARIABLE, "http://127.0.0.1:1")
        assert "draft" in on_store.ask("status")

    def test_a_worker_sees_nothing_of_the_requesters(self, on_store: Shell) -> None:
        on_store.running()
        for command in ("status", "workers", "verdicts", "statement", "tokens", "jury"):
            on_store.by("ada", command, code=2)
            assert "this token's role may not do that" in on_store.err

    def test_the_owner_of_a_store_reads_no_bid_and_places_none(self, on_store: Shell) -> None:
        on_store.auction()
        on_store.ask("bid", "0.25", code=2)
        assert "use a token of: worker" in on_store.err
        assert [one["bid"] for one in on_store.json("workers")["items"]] == [None] * 3

    def test_a_bid_is_read_unseen_and_never_said_back(self, on_store: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        on_store.auction()
        monkeypatch.setattr("sys.stdin", io.StringIO("0.123457\n"))
        assert "0.123457" not in on_store.by("ada", "bid", "-") + on_store.err
        on_store.by("ada", "bid", "1.7777771", code=2)
        assert "1.7777771" not in on_store.err
        on_store("close-auction")
        assert on_store.json("workers")["items"][0]["bid"] == "0.123457"


class TestWhere:
    def test_one_of_several_must_be_named(self, on_store: Shell) -> None:
        on_store.ask(*NEW, "-c", "one")
        on_store.ask(*NEW, "-c", "two")
        on_store.ask("status", code=2)
        assert "there are 2 campaigns here (one, two); name one with --campaign" in on_store.err
        assert on_store.ask("status", "-c", "two").startswith("two: ")
        on_store.ask("status", "-c", "three", code=2)
        assert "there is no campaign 'three'" in on_store.err

    @pytest.mark.parametrize(
        ("where", "said"),
        [
            (["--url", "http://127.0.0.1:1", "--store", "sqlite:///x.db"], "give one of them"),
            (["--url", "ftp://127.0.0.1"], "is no address of a service"),
            (["--url", "http://"], "no service answers"),
            (["--url", "http://127.0.0.1:port"], "is no address"),
            (["--url", "http://127.0.0.1:1"], "no service answers at http://127.0.0.1:1; start `quorate serve`"),
            (["--store", "sqlite:////no/such.db"], "there is no database /no/such.db"),
            (["--store", "quorate.db"], "is not a database's URL"),
            (["--store", "mysql://x/y"], "not supported"),
        ],
    )
    def test_what_is_wrong_takes_one_line(self, on_store: Shell, where: list[str], said: str) -> None:
        on_store.where = [*where, "--token", "qr_requester_x"]
        on_store.ask("status", code=2)
        assert said in on_store.err

    def test_another_kind_of_service(self, on_store: Shell) -> None:
        with http.server.HTTPServer(("127.0.0.1", 0), Other) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                on_store.where = ["--url", f"http://127.0.0.1:{server.server_port}", "--token", "x"]
                on_store.ask("status", code=2)
            finally:
                server.shutdown()
                thread.join()
        assert "is no quorate service (HTTP 200)" in on_store.err

    def test_an_empty_database(self, on_store: Shell) -> None:
        ledger(on_store).close()
        on_store.ask("status", code=2)
        assert "make one with `quorate campaign new`" in on_store.err

    def test_a_file_that_is_no_database(self, on_store: Shell) -> None:
        (on_store.folder / "x.db").write_text("no database, " * 1_000)
        on_store.ask("status", code=2)
        assert "not a database" in on_store.err


class Other(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<p>hello")

    def log_message(self, *given: Any) -> None:
        """Not on the terminal."""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["leave", "zoe"], "there is no worker 'zoe'"),
        (["leave", "99"], "there is no worker '99'"),
        (["statement", "--worker", "zoe"], "there is no worker 'zoe'"),
        (["confirm", "nothing"], "unknown-payout"),
        (["issue", "foo"], "the role 'foo' is not requester, worker or auditor; give one of these"),
        (["issue", "worker"], "say whose with --worker NAME"),
        (["issue", "auditor", "--worker", "ada"], "--worker 'ada' goes with the role worker, not with auditor"),
        (["payouts", "--worker", "zoe"], "unknown-worker"),
        (["open"], "wrong-stage"),
        (["close-auction"], "wrong-stage"),
        (["bidd", "1"], "bidd"),
        (["tasks"], "FILE"),
        (["tasks", "no-such-file.csv"], "no-such-file.csv"),
        (["workers", "--file", "no-such-file.csv"], "no-such-file.csv"),
    ],
)
def test_refusals_take_one_line(on_store: Shell, given: list[str], said: str) -> None:
    on_store.running()
    on_store.ask(*given, code=2)
    assert said in on_store.err


def test_digits_are_a_number_and_no_name(on_store: Shell) -> None:
    on_store.draft("--open")
    on_store("workers", "ada", "0", code=1)
    assert "a worker cannot be named '0'" in on_store.err
    on_store.invite("bob")
    on_store("leave", "0")
    assert [one["withdrawn"] for one in on_store.json("workers")["items"]] == [True, False]
