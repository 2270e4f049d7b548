"""The jury now in use, as the requester is told of it."""

from quorate.campaign.juries import jury_view
from tests.campaigns import exploiting, running


def test_what_each_member_is_needed_for_is_told_apart() -> None:
    drive = exploiting()
    view = jury_view(drive.state)
    assert view is not None
    assert len(view.needed) == len(view.workers) > 0
    for worker, reason in zip(view.workers, view.needed, strict=True):
        assert drive.state.workers[worker].name in reason
    assert view.why[-len(view.needed) :] == view.needed
    assert "err with probability at most" in view.why[0]


def test_while_everybody_is_asked_nobody_is_needed_for_more_than_the_others() -> None:
    view = jury_view(running().post(1).state)
    assert view is not None
    assert view.needed == ()
