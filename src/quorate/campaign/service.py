"""Everything that can be done with campaigns, for the web, the shell and tests: one method a wish.

Methods that change something return when the change is durable. They raise `Refused` (nothing changed) or `Unavailable`
(try again under the same key). All may be called from any thread; many callers share one durable transaction.
`key` is an idempotency key: the same key with the same command gives the first response again and does nothing.
"""

import json
import logging
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

from quorate.campaign import commands, juries, pay_views, projection, promise, results
from quorate.campaign.chain import checked
from quorate.campaign.codec import canonical, decode
from quorate.campaign.engine import Engine, Maker, Reader
from quorate.campaign.events import CampaignClosed, PromiseNoted
from quorate.campaign.ledger import Head, HookRow, Record, Seal, Store
from quorate.campaign.one_secret import check_secret
from quorate.campaign.refusal import Code, Refused, Unavailable
from quorate.campaign.sealed import SALT_BYTES, Bid, Opening, holder_of, pack, unpack
from quorate.campaign.settings import Millis, Settings
from quorate.campaign.state import State
from quorate.campaign.tokens import TOKEN_BYTES, Role
from quorate.campaign.vault import Vault
from quorate.campaign.views import (
    Assignment,
    CampaignPay,
    CoinCheck,
    EventView,
    JuryView,
    NoteView,
    OwnBid,
    Page,
    Stage,
    Status,
    TaskView,
    WorkerPay,
    WorkerView,
)
from quorate.mechanism.coins import commitment

R = TypeVar("R", bound=results.Result)

ID_BYTES = 8
SEED_BYTES = 8
HOOK_BYTES = 32
PAGE = 10_000
COINS = "coins"
# How long a campaign is left alone in which time could not pass.
SET_ASIDE: Millis = 60_000

_LOG = logging.getLogger("quorate.campaign")


def wall_clock() -> Millis:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class CampaignService:
    """The facade over one store. `clock` and `entropy` (random bytes) are injectable; close it before the store.

    `alone`: no other process writes to the store, so commands need not ask it whether something is new.
    Raises InvalidInput if what the store holds was sealed under another secret than the vault's.
    """

    def __init__(
        self,
        store: Store,
        vault: Vault,
        *,
        clock: Callable[[], Millis] = wall_clock,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        alone: bool = False,
    ) -> None:
        check_secret(store, vault)
        self._store = store
        self._vault = vault
        self._clock = clock
        self._entropy = entropy
        self._engine = Engine(store, clock, alone=alone)
        self._set_aside: dict[str, Millis] = {}

    def close(self) -> None:
        """Finish what was submitted, keep snapshots, stop. Idempotent."""
        self._engine.close()

    # Setting up.

    def draft(self, settings: Settings, *, campaign: str | None = None, key: str | None = None) -> str:
        """A new campaign's name. With an idempotency key, give `campaign` too: the key belongs to it."""
        name = campaign or f"c{self._entropy(ID_BYTES).hex()}"
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum() or len(name) > 64:
            raise Refused(
                Code.INVALID, f"{name!r:.80} is no name for a campaign: 1 to 64 ASCII letters, digits, - and _"
            )
        self._do(name, _fresh(settings), results.Done, key, f"draft {settings!r}")
        return name

    def redraft(self, campaign: str, settings: Settings, *, key: str | None = None) -> results.Done:
        """Change the settings of a draft."""
        self._engine.state(campaign)
        return self._do(campaign, commands.DraftCampaign(settings), results.Done, key)

    def open(self, campaign: str, *, key: str | None = None) -> results.CampaignOpened:
        """Fix the settings; draw the seeds, and publish the commitment to the coins before the first bid."""
        seed, coins = self._seed(), self._seed()
        salt = self._entropy(SALT_BYTES)
        ciphertext = self._vault.seal(coins.to_bytes(SEED_BYTES, "big") + salt, f"{campaign}/{COINS}")
        command = commands.OpenCampaign(seed, commitment(coins, salt))
        return self._do(campaign, command, results.CampaignOpened, key, "open", seals=(Seal(COINS, ciphertext),))

    def enrol(self, campaign: str, name: str, *, key: str | None = None) -> results.Enrolled:
        return self._do(campaign, commands.EnrolWorker(name), results.Enrolled, key)

    def bid(
        self, campaign: str, worker: commands.WorkerRef, bid: Bid, *, holder: str = "", key: str | None = None
    ) -> results.BidTaken:
        """Place a sealed bid, or change it, until the auction closes. Until then `own_bid` opens it to `holder` alone:
        the digest of the token that places it; without one, to callers without one.
        """
        number = self.worker_number(campaign, worker)
        opening = Opening(bid, self._entropy(SALT_BYTES))
        name = f"bid/{number}"
        seal = Seal(name, self._vault.seal(pack(opening, holder), f"{campaign}/{name}"))
        command = commands.PlaceBid(number, opening)
        # With the holder in it, nobody else can try amounts under the holder's key until one is taken for the first.
        wish = f"bid {number} {holder} {bid.amount}"
        return self._do(campaign, command, results.BidTaken, key, wish, seals=(seal,))

    def own_bid(self, campaign: str, worker: commands.WorkerRef, holder: str | None = "") -> OwnBid | None:
        """The worker's bid. Until the auction opens it, closed (without amount and salt) to all but who placed it;
        `holder` None is nobody's. The caller has checked whose worker it is.
        """
        state = self._engine.state(campaign)
        number = self.worker_number(campaign, worker)
        published, opened = state.workers[number].commitment, state.workers[number].position >= 0
        name = f"bid/{number}"
        found = self._store.seals(campaign, [name])
        if published is None or name not in found:
            return None
        plain = self._vault.open(found[name], f"{campaign}/{name}")
        if not opened and holder != holder_of(plain):
            return OwnBid(number, None, None, published)
        opening = unpack(plain)
        return OwnBid(number, opening.bid.amount, opening.salt.hex(), published)

    def close_auction(self, campaign: str, *, key: str | None = None) -> results.AuctionResult:
        """Open the bids, toss the coins, draw the pool; waiting tasks get their juries."""
        return self._do(campaign, self._closing_auction(campaign), results.AuctionResult, key, "close auction")

    # Running.

    def post_tasks(self, campaign: str, tasks: Sequence[commands.TaskSpec], *, key: str | None = None) -> results.Batch:
        """One Posted or ItemRefused per task. Juries are assigned by themselves, as places become free."""
        return self._do(campaign, commands.PostTasks(tuple(tasks)), results.Batch, key)

    def answer(
        self,
        campaign: str,
        worker: commands.WorkerRef,
        task: commands.TaskRef,
        label: int,
        *,
        key: str | None = None,
    ) -> results.AnswerTaken:
        """One answer; a refusal is raised."""
        batch = self.answers(campaign, [commands.Answer(task, worker, label)], key=key)
        return _only(batch, results.AnswerTaken)

    def answers(self, campaign: str, answers: Sequence[commands.Answer], *, key: str | None = None) -> results.Batch:
        """One AnswerTaken or ItemRefused per answer."""
        return self._do(campaign, commands.GiveAnswers(tuple(answers)), results.Batch, key)

    def reveal_truths(
        self, campaign: str, truths: Sequence[commands.Truth], *, key: str | None = None
    ) -> results.Batch:
        """One TruthTaken or ItemRefused per truth."""
        return self._do(campaign, commands.RevealTruths(tuple(truths)), results.Batch, key)

    def withdraw(
        self, campaign: str, worker: commands.WorkerRef, reason: str = "", *, key: str | None = None
    ) -> results.Left:
        """The worker leaves for good; what it has earned stays earned."""
        return self._do(campaign, commands.WithdrawWorker(worker, reason), results.Left, key)

    def tick(self, *, shared: bool = False) -> int:
        """Let time pass in every campaign that is not closed; how many had something to do. Call it every second.

        `shared`: other processes write to the store too. A campaign in which time cannot pass stops no other one: it is
        logged, and left alone for a while. Raises Unavailable where the store itself is.
        """
        now, busy = self._clock(), {}
        for campaign in self._store.campaigns(lacking=CampaignClosed.kind):
            if self._set_aside.get(campaign, now) > now:
                continue
            with self._apart(campaign, now):
                future = self._let_pass(campaign, now, shared)
                if future is not None:
                    busy[campaign] = future
        for campaign, future in busy.items():
            with self._apart(campaign, now):
                _settled(future)
        return len(busy)

    def _let_pass(self, campaign: str, now: Millis, shared: bool) -> "Future[results.Result] | None":
        state = self._engine.state(campaign, fresh=shared)
        due = projection.next_deadline(state)
        if due is None or due >= now:
            return None
        if state.stage is Stage.AUCTION and any(worker.bids for worker in state.workers):
            return self.submit(campaign, self._closing_auction(campaign))
        return self.submit(campaign, commands.TickDeadlines()) if state.stage is Stage.RUNNING else None

    @contextmanager
    def _apart(self, campaign: str, now: Millis) -> Iterator[None]:
        """What goes wrong with this campaign is its own; trying again at once would read all of it again."""
        try:
            yield
        except Unavailable:
            raise
        except Exception:  # noqa: BLE001 - whatever it is, time passes in the others
            self._set_aside[campaign] = now + SET_ASIDE
            _LOG.exception("time does not pass in campaign %s; tried again in %g s", campaign, SET_ASIDE / 1_000)

    # Paying and ending.

    def order_payouts(
        self, campaign: str, worker: commands.WorkerRef | None = None, *, key: str | None = None
    ) -> results.PayoutsOrdered:
        """Order what is earned and not ordered yet, for one worker or all."""
        return self._do(campaign, commands.OrderPayouts(worker), results.PayoutsOrdered, key)

    def confirm_payout(
        self, campaign: str, payout: str, reference: str = "", *, key: str | None = None
    ) -> results.Done:
        """The payment provider has paid it."""
        return self._do(campaign, commands.ConfirmPayout(payout, reference), results.Done, key)

    def close_campaign(self, campaign: str, *, force: bool = False, key: str | None = None) -> results.Closed:
        """Order what is unpaid, reveal the coins, make the statements final."""

        def make(state: State, read: Reader) -> commands.Command:
            if state.coin_commitment is None:
                return commands.CloseCampaign(0, b"", force)
            plain = self._vault.open(read([COINS])[COINS], f"{campaign}/{COINS}")
            coins = int.from_bytes(plain[:SEED_BYTES], "big")
            return commands.CloseCampaign(coins, plain[SEED_BYTES:], force)

        return self._do(campaign, make, results.Closed, key, f"close {force}")

    # For callers that wait themselves (asyncio.wrap_future).

    def submit(
        self,
        campaign: str,
        command: commands.Command | Maker,
        *,
        key: str | None = None,
        fingerprint: str | None = None,
        seals: Sequence[Seal] = (),
    ) -> "Future[results.Result]":
        """Any command that needs no secret of the service: bids, openings and closings have their own methods."""
        if key is None:
            return self._engine.submit(campaign, command, seals=seals)
        mark = self._vault.fingerprint(repr(command) if fingerprint is None else fingerprint)
        return self._engine.submit(campaign, command, seals=seals, key=key, fingerprint=mark)

    # Reading.

    def state(self, campaign: str, *, fresh: bool = True) -> State:
        """The frozen state itself: everything below is a projection of it."""
        return self._engine.state(campaign, fresh=fresh)

    def campaigns(self) -> list[str]:
        return self._store.campaigns()

    def status(self, campaign: str, *, fresh: bool = True) -> Status:
        return projection.status(self._engine.state(campaign, fresh=fresh), self._clock())

    def workers(self, campaign: str, *, fresh: bool = True) -> list[WorkerView]:
        return projection.workers(self._engine.state(campaign, fresh=fresh))

    def jury(self, campaign: str, *, fresh: bool = True) -> JuryView | None:
        """The jury now in use and why; None before the auction closes, or where nobody can be asked."""
        return juries.jury_view(self._engine.state(campaign, fresh=fresh))

    def tasks(self, campaign: str, after: int | None = None, limit: int = 100, *, fresh: bool = True) -> Page:
        """A page of TaskView."""
        return projection.tasks(self._engine.state(campaign, fresh=fresh), after, limit)

    def task(self, campaign: str, task: commands.TaskRef, *, fresh: bool = True) -> TaskView:
        state = self._engine.state(campaign, fresh=fresh)
        number = state.keys.get(task) if isinstance(task, str) else task
        if number is None or not 0 <= number < len(state.tasks):
            raise Refused(Code.UNKNOWN_TASK, f"there is no task {task!r:.80} in this campaign; check its key")
        return projection.task(state, number)

    def worker_number(self, campaign: str, worker: commands.WorkerRef, *, fresh: bool = True) -> int:
        """The number of a worker given by number or name; refused if there is none."""
        state = self._engine.state(campaign, fresh=fresh)
        number = state.names.get(worker) if isinstance(worker, str) else worker
        if number is None or not 0 <= number < len(state.workers):
            raise Refused(Code.UNKNOWN_WORKER, f"there is no worker {worker!r:.80} in this campaign; check the name")
        return number

    def assignments(
        self, campaign: str, worker: commands.WorkerRef, limit: int = 100, *, fresh: bool = True
    ) -> list[Assignment]:
        """The worker's open leases, the earliest first."""
        number = self.worker_number(campaign, worker, fresh=fresh)
        return projection.assignments(self._engine.state(campaign, fresh=False), number, limit)

    def statement(self, campaign: str) -> CampaignPay:
        return pay_views.campaign_pay(self._engine.state(campaign))

    def worker_statement(self, campaign: str, worker: commands.WorkerRef) -> WorkerPay:
        number = self.worker_number(campaign, worker)
        return pay_views.worker_pay(self._engine.state(campaign, fresh=False), number)

    def check_coins(self, campaign: str, worker: commands.WorkerRef) -> CoinCheck | None:
        """After close, the worker's own coins repeated; None before, and under payments without coins."""
        number = self.worker_number(campaign, worker)
        return pay_views.coin_check(self._engine.state(campaign, fresh=False), number)

    def notes(self, campaign: str, after: int = 0, limit: int = 100) -> Page:
        """Promise notes in words (NoteView), in order."""
        state = self._engine.state(campaign)
        records = self._store.read(campaign, after, limit, [PromiseNoted.kind])
        return _page([_note(state, record) for record in records], limit)

    def latest_notes(self, campaign: str, limit: int = 20) -> list[NoteView]:
        """The newest promise notes, the last one first."""
        state = self._engine.state(campaign)
        records = self._store.read_back(campaign, state.seq + 1, limit, [PromiseNoted.kind])
        return [_note(state, record) for record in records]

    def events(self, campaign: str, after: int = 0, limit: int = 1_000, kinds: Sequence[str] = ()) -> Page:
        """A page of EventView from the ledger."""
        return _page([_event(record) for record in self._store.read(campaign, after, limit, kinds)], limit)

    def latest(self, campaign: str, limit: int = 20) -> list[EventView]:
        """The newest events, the last one first."""
        head = self._store.head(campaign)
        return [_event(record) for record in self._store.read_back(campaign, head.seq + 1, limit)]

    def records(self, campaign: str) -> Iterator[Record]:
        """The whole ledger, chain checked on the way; raises Tampered at the first event that does not fit."""
        return read_all(self._store, campaign)

    def verify(self, campaign: str) -> Head:
        """Check the whole chain; the head that it leads to."""
        head = self._store.head(campaign)
        if head.seq == 0:
            raise Refused(Code.UNKNOWN_CAMPAIGN, f"there is no campaign {campaign!r}; check the name")
        last = head
        for record in self.records(campaign):
            last = Head(record.seq, record.hash)
        return last

    def wait(self, campaign: str, after: int, timeout: float) -> int:
        """Block until the head here passes `after`; the head's number."""
        return self._engine.wait(campaign, after, timeout)

    def subscribe(self, campaign: str, watcher: Callable[[int], None]) -> Callable[[], None]:
        """Call `watcher(seq)` on every durable change made by this process; returns the way out."""
        return self._engine.subscribe(campaign, watcher)

    def token_entropy(self, campaign: str, role: Role, worker: int | None, key: str | None) -> bytes | None:
        """What the token is made of that was asked for under an idempotency key: the same again for the same key, and
        for nobody else.
        """
        return None if key is None else self._vault.derive(f"token {campaign} {role} {worker} {key}", TOKEN_BYTES)

    # Webhooks.

    def new_hook_secret(self, campaign: str, key: str | None) -> bytes:
        """For a hook whose requester brings none: random, and under an idempotency key the same again."""
        return self._entropy(HOOK_BYTES) if key is None else self._vault.derive(f"hook {campaign} {key}", HOOK_BYTES)

    def add_hook(self, campaign: str, url: str, topics: Sequence[str], secret: bytes) -> int:
        """Messages on these topics are written for this hook from now on; `secret` is kept sealed."""
        self._engine.state(campaign)
        sealed = self._vault.seal(secret, f"{campaign}/hook")
        return self._store.add_hook(campaign, url, topics, sealed, self._clock())

    def hooks(self, campaign: str) -> list[HookRow]:
        return self._store.hooks(campaign)

    def hook_secret(self, hook: HookRow) -> bytes:
        """What signs the hook's messages."""
        return self._vault.open(hook.secret, f"{hook.campaign}/hook")

    def remove_hook(self, campaign: str, hook: int) -> bool:
        return self._store.remove_hook(campaign, hook)

    # Inside.

    def _do(
        self,
        campaign: str,
        command: commands.Command | Maker,
        kind: type[R],
        key: str | None,
        fingerprint: str | None = None,
        seals: Sequence[Seal] = (),
    ) -> R:
        result = self.submit(campaign, command, key=key, fingerprint=fingerprint, seals=seals).result()
        if not isinstance(result, kind):
            raise TypeError(f"the command gave {result!r:.200} where {kind.__name__} was expected")
        return result

    def _closing_auction(self, campaign: str) -> Maker:
        def make(state: State, read: Reader) -> commands.Command:
            numbers = [number for number, worker in enumerate(state.workers) if worker.commitment is not None]
            if state.stage is not Stage.AUCTION:
                return commands.CloseAuction({}, 0)
            sealed = read([COINS, *(f"bid/{number}" for number in numbers)])
            openings = {
                number: unpack(self._vault.open(sealed[f"bid/{number}"], f"{campaign}/bid/{number}"))
                for number in numbers
            }
            coins = self._vault.open(sealed[COINS], f"{campaign}/{COINS}")[:SEED_BYTES]
            return commands.CloseAuction(openings, int.from_bytes(coins, "big"))

        return make

    def _seed(self) -> int:
        return int.from_bytes(self._entropy(SEED_BYTES), "big")


def _fresh(settings: Settings) -> Maker:
    """A draft is new: a name that is taken is refused, where `redraft` would change it."""

    def make(state: State, read: Reader) -> commands.Command:
        if state.settings is not None:
            raise Refused(Code.WRONG_STAGE, f"there is a campaign {state.campaign!r} already; choose another name")
        return commands.DraftCampaign(settings)

    return make


def read_all(store: Store, campaign: str) -> Iterator[Record]:
    """Every event of a campaign's ledger, each checked against the one before."""

    def pages() -> Iterator[Record]:
        after = 0
        while page := store.read(campaign, after, PAGE):
            yield from page
            after = page[-1].seq

    return checked(campaign, pages())


def export_line(campaign: str, record: Record) -> str:
    """One event as a line of JSON: what `quorate ledger export` writes."""
    return canonical(
        {
            "campaign": campaign,
            "seq": record.seq,
            "at": record.at,
            "kind": record.kind,
            "body": json.loads(record.body),
            "hash": record.hash,
        }
    )


def _only(batch: results.Batch, kind: type[R]) -> R:
    item = batch.items[0]
    if isinstance(item, results.ItemRefused):
        raise Refused(Code(item.code), item.message)
    if not isinstance(item, kind):
        raise TypeError(f"the command gave {item!r:.200} where {kind.__name__} was expected")
    return item


def _settled(future: "Future[results.Result]") -> None:
    """A tick that another process has been faster with is no failure."""
    try:
        future.result()
    except Refused as refused:
        if refused.code is not Code.WRONG_STAGE:
            raise


def _page(items: list[EventView] | list[NoteView], limit: int) -> Page:
    return Page(tuple(items), items[-1].seq if len(items) == limit else None)


def _event(record: Record) -> EventView:
    return EventView(record.seq, record.at, record.kind, json.loads(record.body), record.hash)


def _note(state: State, record: Record) -> NoteView:
    noted = decode(record.kind, record.body)
    if not isinstance(noted, PromiseNoted):
        raise TypeError(f"event {record.seq} is a {record.kind!r}, not a promise note")
    task = None if noted.task is None else state.tasks[noted.task].key
    worker = None if noted.worker is None else state.workers[noted.worker].name
    return NoteView(record.seq, record.at, noted.note, noted.task, noted.worker, promise.words(noted, task, worker))
