"""Errors as pages in words: what happened, and what to do now."""

from starlette.requests import Request
from starlette.responses import Response

from quorate.web.pages.render import go, page
from quorate.web.problems import NO_SUCH_ADDRESS, OTHER_METHOD, Problem

TITLES: dict[str, str] = {
    "not-found": "There is no such page",
    "unknown-campaign": "There is no such campaign for you",
    "unknown-task": "There is no such task",
    "unknown-worker": "There is no such worker",
    "unknown-payout": "There is no such payout",
    "forbidden": "That is not possible from here",
    "method-not-allowed": "That is not a page",
    "invalid-request": "That is not an address of these pages",
    "bid-after-close": "Bidding is closed",
    "no-bids": "Nobody has placed a bid yet",
    "lease-expired": "The time for this answer is over",
    "not-asked": "You were not asked for this task",
    "tasks-in-flight": "Some tasks are still being answered",
    "wrong-stage": "The campaign is at another stage",
    "duplicate-worker": "That name is taken",
    "too-large": "That is too large",
    "too-many-requests": "Too fast",
    "unavailable": "Not possible at this moment",
    "tampered": "The ledger is not as it was written",
    "internal": "Something went wrong here",
}

# In the place of what is said to programs.
DETAILS: dict[str, str] = {
    "not-found": "There is nothing at this address, or it was copied in part. Go back, or begin at your own link",
    "method-not-allowed": "This address takes a form of its page only; go back and use the page",
    "invalid-request": "A part of this address is not one that the pages make. Go back and follow a link instead",
}

# Where forms are sent, and the page on which they stand, both from the campaign's own address.
PAGES: dict[str, str] = {
    "invite": "/workers",
    "invite-auditor": "/workers",
    "link": "/workers",
    "truths": "/tasks",
    "truth": "/tasks",
    "payouts": "/pay",
    "confirm": "/pay",
    "confirm-all": "/pay",
    "check": "/ledger",
    "withdraw": "/workers",
    "open": "",
    "close-auction": "",
    "close": "",
    "bid": "",
    "answer": "",
    "out": "",
}


def _page_of_form(path: str) -> str | None:
    """For an address that takes a form alone and was asked for as a page: the page with the form."""
    match path.strip("/").split("/"):
        case ["c", campaign, form] if form in PAGES:
            return f"/c/{campaign}{PAGES[form]}"
        case ["a" | "w" as room, campaign, form] if form in PAGES:
            return f"/{room}/{campaign}"
        case ["new", "predicted"]:
            return "/new"
        case ["c", campaign, "settings", "predicted"]:
            return f"/c/{campaign}/settings"
        case ["take", _] | ["take", _, "ledger"] | ["out"]:
            return "/"
        case _:
            return None


def page_of_problem(request: Request, problem: Problem) -> Response:
    """The page for every error outside the API; who is not signed in gets the entrance."""
    if problem.code == "unauthenticated":
        why = (
            "This page opens with its own link. If you had one, it may have been withdrawn, or you are in another "
            "browser now: follow the link again (a worker: the link of your own, as an invitation opens once), "
            "paste it below, or ask whoever invited you for a new one."
        )
        return page("enter.html", status=401, why=why)
    instead = _page_of_form(request.url.path) if problem.code == "method-not-allowed" else None
    if instead is not None and request.method == "GET":
        return go(instead)
    title = TITLES.get(problem.code, "That cannot be done" if problem.status < 500 else "Something went wrong here")
    detail = _detail(problem)
    found = page("problem.html", status=problem.status, title=title, detail=detail, code=problem.code)
    for name, value in problem.headers:
        found.headers[name] = value
    return found


def _detail(problem: Problem) -> str:
    said_to_programs = problem.errors or problem.detail in (NO_SUCH_ADDRESS, OTHER_METHOD)
    detail = DETAILS[problem.code] if said_to_programs else problem.detail
    return detail[:1].upper() + detail[1:]
