"""A campaign under random, late, doubled and hostile commands: what must hold after every one of them."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from quorate.campaign import commands, results
from quorate.campaign.chain import chain
from quorate.campaign.codec import decode, encode
from quorate.campaign.flow import has_lease, pending
from quorate.campaign.fold import auction_of, fold, members_of
from quorate.campaign.ledger import GENESIS, Head
from quorate.campaign.refusal import Refused
from quorate.campaign.replay import replay
from quorate.campaign.settings import PaymentRule, PolicyRule
from quorate.campaign.snapshot import fingerprint, from_bytes, to_bytes
from quorate.campaign.state import Reply
from quorate.campaign.views import Stage
from quorate.mechanism.coins import commitment
from tests.campaigns import COINS, SALT, UNIT, Drive, opening, refold, small

WORKERS = 5
RULES = [
    (PolicyRule(kappa=Fraction(20)), PaymentRule()),
    (PolicyRule(kappa=Fraction(20), pool=3), PaymentRule()),
    (PolicyRule(kappa=Fraction(2)), PaymentRule("randomised", 2)),
    (PolicyRule("assured-joint", pool=4, max_size=3, kappa=Fraction(20)), PaymentRule("randomised")),
    (PolicyRule("ccb-ns"), PaymentRule("pay-as-bid")),
    (PolicyRule("epsilon-greedy"), PaymentRule("pay-as-bid")),
]
names = st.integers(-1, WORKERS + 1) | st.sampled_from(["w0", "w3", "stranger", ""])
task_refs = st.integers(-1, 40) | st.sampled_from(["t0", "t7", "0", ""])
labels = st.sampled_from([0, 1, 1, 1, 2, -1, True])


class CampaignMachine(RuleBasedStateMachine):
    @initialize(
        which=st.sampled_from(RULES),
        at_once=st.integers(1, 5),
        exploring=st.integers(1, 4),
        truth_within=st.none() | st.integers(1, 3_000),
        share=st.sampled_from([1.0, 0.5]),
        explored=st.sampled_from([-1, 0, 3, 45]),
    )
    def draft(
        self,
        which: tuple[PolicyRule, PaymentRule],
        at_once: int,
        exploring: int,
        truth_within: int | None,
        share: float,
        explored: int,
    ) -> None:
        policy, payment = which
        chosen = replace(
            small(target=0.6, horizon=80, accept_untruthful=True),
            policy=policy,
            payment=payment,
            at_once=at_once,
            exploring_at_once=exploring,
            truth_within=truth_within,
            truth_share=share,
        )
        self.drive = Drive(chosen)
        self.times: list[int] = [0]
        self.snapshot = to_bytes(self.drive.state)
        self.drive.bids = []
        if explored >= 0:
            self._go_ahead(explored)

    def _go_ahead(self, explored: int) -> None:
        """Random commands alone would seldom get a campaign to run, and hardly ever to the end of exploration."""
        self.open()
        for bid in (3, 8, 5, 13, 5):
            self._enrol(bid)
        self.close_auction()
        for _ in range(explored):
            self.send(commands.PostTasks((commands.TaskSpec(gold=1),)))
            for task in self.drive.state.open:
                waiting = self.drive.pending(task)
                self.send(commands.GiveAnswers(tuple(commands.Answer(task, worker, 1) for worker in waiting)))

    def _enrol(self, bid: int) -> None:
        number = len(self.drive.state.workers)
        if self.send(commands.EnrolWorker(f"w{number}")) is not None:
            self.drive.bids.append(bid * UNIT)
            self.send(commands.PlaceBid(number, opening(bid * UNIT)))

    def send(self, command: commands.Command) -> results.Result | None:
        before, count = self.drive.state, len(self.drive.events)
        try:
            result = self.drive.do(command)
        except Refused as error:
            refused = error
        else:
            self.times.extend([self.drive.now] * (len(self.drive.events) - count))
            return result
        assert self.drive.state is before, "a refusal changes nothing"
        assert len(refused.message) > 20
        return None

    @rule()
    def open(self) -> None:
        self.send(commands.OpenCampaign(7, commitment(COINS, SALT)))

    @rule(bid=st.integers(0, 25))
    def enrol_and_bid(self, bid: int) -> None:
        if len(self.drive.state.workers) < WORKERS:
            self._enrol(bid)

    @rule(worker=names, bid=st.integers(-1, 21))
    def bid_again(self, worker: int | str, bid: int) -> None:
        taken = self.send(commands.PlaceBid(worker, opening(abs(bid) * UNIT)))
        if isinstance(taken, results.BidTaken):
            self.drive.bids[taken.worker] = abs(bid) * UNIT

    @rule()
    def close_auction(self) -> None:
        self.send(commands.CloseAuction({at: opening(bid) for at, bid in enumerate(self.drive.bids)}, COINS))

    @rule(count=st.integers(1, 6), gold=st.sampled_from([None, 0, 1, 1]))
    def post(self, count: int, gold: int | None) -> None:
        self.send(commands.PostTasks(tuple(commands.TaskSpec(gold=gold) for _ in range(count))))

    @rule(answers=st.lists(st.builds(commands.Answer, task_refs, names, labels), min_size=1, max_size=4))
    def answer_anything(self, answers: list[commands.Answer]) -> None:
        self.send(commands.GiveAnswers(tuple(answers)))

    @rule(data=st.data(), share=st.sampled_from([1, 1, 2]))
    def answer_what_is_asked(self, data: st.DataObject, share: int) -> None:
        if not self.drive.state.open:
            return
        task = data.draw(st.sampled_from(self.drive.state.open))
        waiting = self.drive.pending(task)[::share]
        given = tuple(commands.Answer(task, worker, int(data.draw(st.integers(0, 9)) > 0)) for worker in waiting)
        self.send(commands.GiveAnswers(given))

    @rule(truths=st.lists(st.builds(commands.Truth, task_refs, labels), min_size=1, max_size=4))
    def truths(self, truths: list[commands.Truth]) -> None:
        self.send(commands.RevealTruths(tuple(truths)))

    @rule()
    def truth_of_what_is_awaited(self) -> None:
        self.send(commands.RevealTruths(tuple(commands.Truth(task, 1) for task in self.drive.state.held)))

    @rule(worker=names)
    def withdraw(self, worker: int | str) -> None:
        self.send(commands.WithdrawWorker(worker))

    @rule(by=st.sampled_from([1, 500, 1_001, 4_000]))
    def time_passes(self, by: int) -> None:
        self.drive.now += by
        self.send(commands.TickDeadlines())

    @rule(worker=st.none() | names)
    def order(self, worker: int | str | None) -> None:
        self.send(commands.OrderPayouts(worker))

    @rule(payout=st.sampled_from(["c1.0.1", "c1.1.1", "c1.0.2", "nonsense"]))
    def confirm(self, payout: str) -> None:
        self.send(commands.ConfirmPayout(payout))

    @rule()
    def remember(self) -> None:
        self.snapshot = to_bytes(self.drive.state)

    @rule(force=st.booleans(), dice=st.integers(0, 9))
    def close(self, force: bool, dice: int) -> None:
        if dice == 0:
            self.send(commands.CloseCampaign(COINS, SALT, force))

    @invariant()
    def money_is_conserved(self) -> None:
        if not hasattr(self, "drive"):
            return
        state = self.drive.state
        given = sum(event.price for event in self.drive.events if event.kind == "answer given")
        assert given == sum(worker.earned for worker in state.workers)
        assert sum(payout.amount for payout in state.payouts) == sum(worker.ordered for worker in state.workers)
        for worker in state.workers:
            assert 0 <= worker.confirmed <= worker.ordered <= worker.earned
            assert worker.answered == sum(line.answers for line in worker.pay)
        if state.stage is Stage.CLOSED:
            assert all(worker.ordered == worker.earned for worker in state.workers)

    @invariant()
    def nobody_answers_twice_or_unasked(self) -> None:
        if not hasattr(self, "drive"):
            return
        state = self.drive.state
        answers = [(event.task, event.worker) for event in self.drive.events if event.kind == "answer given"]
        assert len(answers) == len(set(answers))
        for number, worker in answers:
            assert state.workers[worker].position in members_of(state, state.tasks[number])

    @invariant()
    def places_are_kept(self) -> None:
        if not hasattr(self, "drive"):
            return
        state = self.drive.state
        chosen = state.settings
        assert len(state.open) <= chosen.at_once
        assert len(state.held) <= chosen.exploring_at_once
        for number in state.open:
            assert Reply.PENDING in state.tasks[number].replies, "an open task waits for somebody"
            positions = range(len(auction_of(state).workers))
            assert [at for at in positions if has_lease(state, number, at)] == sorted(pending(state, number))
        for task in state.tasks:
            if task.decided:
                assert Reply.PENDING not in task.replies
        assert state.counts.decided == sum(1 for event in self.drive.events if event.kind == "verdict made")

    def teardown(self) -> None:
        if not hasattr(self, "drive"):
            return
        state, events = self.drive.state, self.drive.events
        whole = fingerprint(state)
        assert fingerprint(refold(events)) == whole, "the state is the fold of its events"
        tail = from_bytes(self.snapshot)
        for event in events[tail.seq :]:
            tail = fold(tail, decode(event.kind, encode(event)))
        assert fingerprint(tail) == whole, "a snapshot and the events after it are as good"
        self._replays(whole)

    def _replays(self, whole: str) -> None:
        entries = [(event.kind, encode(event)) for event in self.drive.events]
        records = [
            replace(record, at=at)
            for record, at in zip(chain("c1", Head(0, GENESIS), 0, entries), self.times, strict=True)
        ]
        closed = self.drive.state.coin_seed
        assert replay("c1", records, closed).fingerprint == whole


CampaignMachine.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, suppress_health_check=list(HealthCheck)
)
TestCampaign = CampaignMachine.TestCase
