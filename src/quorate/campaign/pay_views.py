"""Statements: what each worker earned and was paid, and what the requester spends, to the unit."""

from quorate.campaign.fold import rules_of
from quorate.campaign.state import PayLine as Line
from quorate.campaign.state import State
from quorate.campaign.views import CampaignPay, CoinCheck, PayLine, PayoutView, Stage, WorkerPay
from quorate.mechanism import Randomised
from quorate.mechanism.coins import Reveal, own_coins


def campaign_pay(state: State) -> CampaignPay:
    """The requester's statement; final once the campaign is closed."""
    rules = rules_of(state)
    workers = tuple(worker_pay(state, number) for number in range(len(state.workers)))
    as_bid = sum(line.bid * line.answers for worker in workers for line in worker.lines)
    return CampaignPay(
        campaign=state.campaign,
        final=state.stage is Stage.CLOSED,
        pairing=rules.pairing.label,
        truthful=rules.pairing.truthful,
        why=rules.pairing.why,
        workers=workers,
        earned=sum(worker.earned for worker in workers),
        as_bid=as_bid,
        confirmed=sum(worker.confirmed for worker in workers),
    )


def worker_pay(state: State, number: int) -> WorkerPay:
    worker, pairing = state.workers[number], rules_of(state).pairing
    payouts = []
    for name in worker.payouts:
        at = state.payout_names.get(name)
        if at is not None:
            payout = state.payouts[at]
            payouts.append(PayoutView(name, number, payout.amount, payout.confirmed, payout.reference))
    return WorkerPay(
        worker=number,
        name=worker.name,
        final=state.stage is Stage.CLOSED,
        truthful=pairing.truthful,
        why=pairing.why,
        lines=tuple(_line(state, worker.position, line) for line in worker.pay),
        earned=worker.earned,
        payouts=tuple(payouts),
        confirmed=worker.confirmed,
    )


def _line(state: State, position: int, line: Line) -> PayLine:
    """price = bid + bonus (mode R) + what the threshold adds (mode D)."""
    bid = bonus = 0
    if state.auction is not None:
        bid, bonus = int(state.auction.sealed.bids[position]), int(state.auction.sealed.bonus[position])
    return PayLine(
        phase=line.phase,
        answers=line.answers,
        bid=bid,
        bonus=bonus,
        threshold=line.price - bid - bonus,
        price=line.price,
        total=line.price * line.answers,
    )


def coin_check(state: State, number: int) -> CoinCheck | None:
    """Repeat the worker's own coins from the revealed seed; None before the end, without a bid, or without coins."""
    position, auction, rules = state.workers[number].position, state.auction, rules_of(state)
    if (
        auction is None
        or position < 0
        or state.coin_seed is None
        or state.coin_salt is None
        or state.coin_commitment is None
        or not isinstance(rules.payment, Randomised)
    ):
        return None
    cap, one_in = rules.problem.cap, rules.payment.one_in
    bid = int(auction.sealed.bids[position])
    x, y = own_coins(state.coin_seed, position, bid, cap, one_in)
    return CoinCheck(
        worker=number,
        position=position,
        commitment=state.coin_commitment,
        seed=f"{state.coin_seed:016x}",
        salt=state.coin_salt,
        bid=bid,
        cap=cap,
        one_in=one_in,
        commitment_matches=Reveal(state.coin_seed, bytes.fromhex(state.coin_salt)).matches(state.coin_commitment),
        seen=int(auction.sealed.seen[position]),
        expected_seen=x,
        bonus=int(auction.sealed.bonus[position]),
        expected_bonus=(cap - bid) * one_in if y > bid else 0,
    )
