"""Who may ask for what. Anonymous: 401. A token of another campaign: 404, as if there were none. Wrong role: 403."""

from typing import Annotated

from fastapi import Depends, Request
from fastapi.openapi.models import HTTPBearer as BearerModel
from fastapi.security.base import SecurityBase

from quorate.campaign.tokens import Role
from quorate.web.keyring import Caller
from quorate.web.problems import Stop, problem, unknown_campaign

UNAUTHENTICATED = problem(
    "unauthenticated",
    "no valid token came with the request; send the header `Authorization: Bearer qr_...` with one that is not revoked",
    WWW_Authenticate='Bearer realm="quorate"',
)


class Allow(SecurityBase):
    """A dependency that lets some roles pass, each in its own campaign only; the gate has identified the caller."""

    def __init__(self, *roles: Role, operator: bool = False) -> None:
        self._roles = roles
        self._operator = operator
        self.model = BearerModel(description="A token of an operator, requester, worker or auditor")
        self.scheme_name = "token"

    async def __call__(self, request: Request) -> Caller:
        return self.admit(request.scope.get("caller"), request.path_params.get("campaign"))

    def admit(self, caller: Caller | None, campaign: str | None) -> Caller:
        """The caller, if it may; raises Stop."""
        if caller is None:
            raise Stop(UNAUTHENTICATED)
        if not caller.is_operator and campaign is not None and caller.campaign != campaign:
            raise Stop(unknown_campaign(campaign))
        if self._operator if caller.is_operator else caller.role in self._roles:
            return caller
        allowed = [*(["operator"] if self._operator else []), *(role.value for role in self._roles)]
        raise Stop(problem("forbidden", f"this token's role may not do that; use a token of: {', '.join(allowed)}"))


class AllowSpent(Allow):
    """Lets an invitation pass that is spent: what it may still have is a matter of the key that was sent with it."""

    async def __call__(self, request: Request) -> Caller:
        caller = request.scope.get("caller") or request.scope.get("spent")
        return self.admit(caller, request.path_params.get("campaign"))


OperatorOnly = Annotated[Caller, Depends(Allow(operator=True))]
Requester = Annotated[Caller, Depends(Allow(Role.REQUESTER))]
RequesterOrOperator = Annotated[Caller, Depends(Allow(Role.REQUESTER, operator=True))]
WorkerOnly = Annotated[Caller, Depends(Allow(Role.WORKER))]
WorkerOrSpent = Annotated[Caller, Depends(AllowSpent(Role.WORKER))]
RequesterOrWorker = Annotated[Caller, Depends(Allow(Role.REQUESTER, Role.WORKER))]
Overseer = Annotated[Caller, Depends(Allow(Role.REQUESTER, Role.AUDITOR))]
Anyone = Annotated[Caller, Depends(Allow(Role.REQUESTER, Role.AUDITOR, Role.WORKER))]
AnyoneOrOperator = Annotated[Caller, Depends(Allow(Role.REQUESTER, Role.AUDITOR, Role.WORKER, operator=True))]


def own_only(caller: Caller, worker: int) -> None:
    """A worker's token opens what is the worker's own, and shows nothing of others."""
    if caller.role is Role.WORKER and caller.worker != worker:
        raise Stop(problem("unknown-worker", "there is no such worker for this token; use its own number, name, or me"))
