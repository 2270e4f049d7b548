"""From draft to pool: enrolment, sealed bids, the auction's close."""

import json
import traceback

import pytest

from quorate.campaign import commands, projection
from quorate.campaign.codec import encode
from quorate.campaign.decide import decide
from quorate.campaign.refusal import Code, Refused
from quorate.campaign.sealed import Bid, Opening, bid_commitment, opens
from quorate.campaign.settings import PaymentRule, PolicyRule
from quorate.campaign.views import Stage
from quorate.errors import InvalidInput
from tests.campaigns import COINS, RANDOMISED, SALT, UNIT, Drive, opening, running, small


def refused(drive: Drive, command: commands.Command) -> Code:
    before = (drive.state, list(drive.events))
    with pytest.raises(Refused) as caught:
        drive.do(command)
    assert (drive.state, drive.events) == before, "a refusal must change nothing"
    return caught.value.code


def test_settings_can_change_until_the_campaign_opens() -> None:
    drive = Drive()
    drive.do(commands.DraftCampaign(small(title="another title")))
    assert drive.state.settings.title == "another title"
    drive.open()
    assert refused(drive, commands.DraftCampaign(small())) is Code.WRONG_STAGE


@pytest.mark.parametrize(
    "settings",
    [
        small(title=" "),
        small(target=0.4),
        small(labels=("yes", "yes")),
        small(answer_within=0),
        small(truth_share=0.0),
        small(exploring_at_once=0),
        small(policy=PolicyRule("guess")),
        small(policy=PolicyRule(pool=0)),
        small(policy=PolicyRule(selector="greedy")),
        small(policy=PolicyRule("ccb-s", pool=5)),
        small(payment=PaymentRule("threshold", one_in=4)),
        small(payment=PaymentRule("lottery")),
        small(policy=PolicyRule(stopping="whenever")),
        small(policy=PolicyRule("ccb-ns", model="majority"), accept_untruthful=True),
    ],
)
def test_settings_that_break_a_rule_are_refused_when_drafted(settings: object) -> None:
    with pytest.raises(Refused) as caught:
        Drive(settings)  # type: ignore[arg-type]
    assert caught.value.code is Code.INVALID
    assert len(str(caught.value)) > 20


def test_an_untruthful_pairing_needs_to_be_asked_for() -> None:
    with pytest.raises(Refused, match="NOT truthful"):
        Drive(small(payment=PaymentRule("pay-as-bid")))
    drive = Drive(small(payment=PaymentRule("pay-as-bid"), accept_untruthful=True))
    assert not drive.state.rules.pairing.truthful


def test_default_stopping_is_what_makes_the_payment_truthful() -> None:
    assert Drive().state.rules.pairing.truthful
    assert Drive(small(payment=RANDOMISED)).state.rules.pairing.truthful


def test_a_name_is_enrolled_once() -> None:
    drive = Drive().open()
    assert drive.do(commands.EnrolWorker("ada")).worker == 0
    assert refused(drive, commands.EnrolWorker("ada")) is Code.DUPLICATE_WORKER
    assert refused(drive, commands.EnrolWorker("")) is Code.INVALID
    assert refused(drive, commands.EnrolWorker("a\nb")) is Code.INVALID
    assert drive.do(commands.EnrolWorker("bob")).worker == 1


def test_nobody_enrols_before_the_opening_or_after_the_close() -> None:
    assert refused(Drive(), commands.EnrolWorker("ada")) is Code.WRONG_STAGE
    assert refused(running(), commands.EnrolWorker("ada")) is Code.WRONG_STAGE


def test_the_ledger_holds_a_commitment_and_not_the_bid() -> None:
    drive = Drive().open()
    drive.do(commands.EnrolWorker("ada"))
    secret = Opening(Bid(7_654_321), bytes(range(32)))
    drive.do(commands.PlaceBid("ada", secret))
    written = encode(drive.events[-1])
    assert "7654321" not in written
    published = json.loads(written)["commitment"]
    assert opens("c1", 0, secret, published)
    assert not opens("c1", 1, secret, published), "a commitment is its owner's"
    assert not opens("c1", 0, Opening(Bid(7_654_322), secret.salt), published)


def test_a_bid_can_be_changed_until_the_auction_closes() -> None:
    drive = Drive().open().enrol([3, 5])
    drive.do(commands.PlaceBid(0, opening(4 * UNIT)))
    drive.bids[0] = 4 * UNIT
    drive.close_auction()
    assert drive.state.auction.sealed.bids.tolist() == [4 * UNIT, 5 * UNIT]
    assert refused(drive, commands.PlaceBid(0, opening(UNIT))) is Code.BID_AFTER_CLOSE


def test_the_time_for_bids_can_be_limited() -> None:
    drive = Drive(small(bids_until=100)).open().enrol([3])
    drive.now = 101
    assert refused(drive, commands.PlaceBid(0, opening(UNIT))) is Code.BID_AFTER_CLOSE


def test_a_bid_above_the_cap_is_refused_without_being_said_back() -> None:
    drive = Drive().open().enrol([3])
    with pytest.raises(Refused) as caught:
        drive.do(commands.PlaceBid(0, opening(20_123_456)))
    shown = "".join(traceback.format_exception(caught.value))
    assert caught.value.code is Code.INVALID
    assert "20123456" not in shown
    assert "20.123456" not in shown


def test_a_bid_never_shows_itself() -> None:
    secret = Opening(Bid(7_654_321), b"salt" * 8)
    command = commands.PlaceBid(0, secret)
    for shown in (repr(secret), str(secret.bid), f"{secret.bid}", f"{secret.bid:>20}", repr(command), f"{[command]}"):
        assert "7654321" not in shown
        assert "73616c74" not in shown
        assert "salt" not in shown.replace("salted", "")


@pytest.mark.parametrize("text", ["-1", "1.2345678", "many", "nan", "1e999999", None, True])
def test_text_that_is_no_price_is_refused_without_being_said_back(text: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        Bid.parse(text)
    shown = "".join(traceback.format_exception(caught.value, chain=True))
    assert "decimal" in str(caught.value)
    if isinstance(text, str) and text not in ("nan", "-1"):
        assert text not in str(caught.value)
    assert "During handling" not in shown
    assert "direct cause" not in shown


def test_the_pool_is_the_lowest_bidders_and_the_rest_stay_outside() -> None:
    settings = small(policy=PolicyRule(pool=2))
    drive = Drive(settings).open().enrol([9, 3, 5])
    result = drive.do(commands.CloseAuction({at: opening(bid) for at, bid in enumerate(drive.bids)}, COINS))
    assert result.pool == (1, 2)
    assert result.outside == (0,)
    assert drive.state.auction.prices == (0, 9 * UNIT, 9 * UNIT), "an exploration task pays the first bid outside"


def test_an_auction_without_bids_stays_open() -> None:
    drive = Drive().open()
    drive.do(commands.EnrolWorker("ada"))
    assert refused(drive, commands.CloseAuction({}, COINS)) is Code.NO_BIDS


def test_who_enrols_and_does_not_bid_takes_no_part() -> None:
    drive = Drive().open().enrol([3, 5])
    drive.do(commands.EnrolWorker("no bid"))
    drive.close_auction()
    assert [worker.position for worker in drive.state.workers] == [0, 1, -1]


def test_who_leaves_before_the_close_is_not_opened() -> None:
    drive = Drive().open().enrol([3, 5, 8])
    drive.do(commands.WithdrawWorker("w1"))
    assert refused(drive, commands.PlaceBid(1, opening(UNIT))) is Code.ALREADY_WITHDRAWN
    drive.close_auction()
    assert drive.state.auction.workers == (0, 2)
    assert 5 * UNIT not in drive.state.auction.sealed.bids


def test_another_bid_than_the_sealed_one_does_not_open() -> None:
    drive = Drive().open().enrol([3, 5])
    wrong = {0: opening(3 * UNIT), 1: opening(6 * UNIT)}
    assert refused(drive, commands.CloseAuction(wrong, COINS)) is Code.INVALID
    assert refused(drive, commands.CloseAuction({0: wrong[0]}, COINS)) is Code.INVALID


def test_the_allocation_runs_on_resampled_bids_in_mode_r() -> None:
    bids = list(range(1, 20))
    drive = running(bids, small(payment=RANDOMISED))
    auction = drive.state.auction
    assert (auction.sealed.seen >= auction.sealed.bids).all()
    assert (auction.sealed.seen > auction.sealed.bids).any(), "with 19 bids and one in eight resampled, some are"
    assert drive.state.learned.bids.tolist() == auction.sealed.seen.tolist()
    assert all(price >= bid for price, bid in zip(auction.prices, auction.sealed.bids.tolist(), strict=True))


def test_the_coins_are_committed_to_before_the_first_bid() -> None:
    drive = Drive().open()
    assert drive.state.coin_commitment is not None
    assert f"{COINS:016x}" not in "".join(encode(event) for event in drive.events)
    drive.enrol([3]).close_auction()
    wrong = commands.CloseCampaign(COINS + 1, SALT)
    assert refused(drive, wrong) is Code.INVALID
    drive.close()
    assert drive.state.coin_seed == COINS


def test_commitments_of_equal_bids_differ_by_salt_and_by_owner() -> None:
    one, other = Opening(Bid(5), bytes(32)), Opening(Bid(5), bytes([1]) * 32)
    found = {
        bid_commitment("c1", 0, one),
        bid_commitment("c1", 0, other),
        bid_commitment("c1", 1, one),
        bid_commitment("c2", 0, one),
    }
    assert len(found) == 4


def test_no_campaign_opens_when_its_time_for_bids_has_passed() -> None:
    drive = Drive(small(bids_until=100))
    drive.now = 101
    with pytest.raises(Refused, match=r"bids_until 100 \(1970-01-01 00:00 UTC\) has passed.*; give the draft a later"):
        drive.open()
    assert drive.state.stage is Stage.DRAFT
    assert decide(drive.state, commands.OpenCampaign(0, ""), 101, again=True).state.stage is Stage.AUCTION
    drive.do(commands.DraftCampaign(small(bids_until=101)))
    assert drive.open().state.stage is Stage.AUCTION


def test_a_time_for_bids_that_ran_out_without_one_is_said_to_be_the_end() -> None:
    drive = Drive(small(bids_until=100)).open()
    drive.do(commands.EnrolWorker("ada"))
    close = commands.CloseAuction({}, COINS)
    with pytest.raises(Refused, match="invite workers, or wait"):
        drive.do(close)
    assert projection.status(drive.state, 100).why == ()
    drive.now = 101
    with pytest.raises(Refused, match="can only be closed, and another opened"):
        drive.do(close)
    assert "can only be closed, and another opened" in projection.status(drive.state, 101).why[0]
    drive.close()
    assert projection.status(drive.state, 101).why == ()


def test_a_bid_in_time_keeps_an_auction_alive() -> None:
    drive = Drive(small(bids_until=100)).open().enrol([3])
    assert projection.status(drive.state, 101).why == ()
    drive.do(commands.WithdrawWorker(0))
    assert projection.status(drive.state, 101).why != ()
