"""The table of settings in docs/campaigns.md has every setting and its default."""

import re
from dataclasses import fields

from quorate.campaign.settings import PaymentRule, PolicyRule, Settings, to_json
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.policy.assured import DEFAULT_POOL
from quorate.policy.assured_joint import DEFAULT_MAX_SIZE
from quorate.policy.pool import DEFAULT_KAPPA
from tests.docs.test_code_blocks import ROOT

START = "| setting | default | meaning |\n| --- | --- | --- |\n"
RULES = {"policy": PolicyRule, "payment": PaymentRule}
NEEDED = ("title", "target", "confidence", "horizon", "cap")
# Where a setting left out is decided by something else, or is nothing.
IN_WORDS = {
    "policy.model": "log-odds",
    "policy.selector": "greedy",
    "policy.pool": str(DEFAULT_POOL),
    "policy.kappa": f'"{DEFAULT_KAPPA}"',
    "policy.stopping": "by payment",
    "policy.max_size": str(DEFAULT_MAX_SIZE),
    "payment.one_in": str(DEFAULT_ONE_IN),
    "currency": "none",
    "truth_within": "never",
    "bids_until": "never",
}


def shown() -> dict[str, str]:
    """Each setting of the page, with its default as the page has it."""
    table = (ROOT / "docs" / "campaigns.md").read_text().split(START)[1].split("\n\n")[0]
    found = {}
    for row in table.splitlines():
        names, default = row.split(" | ")[:2]
        found |= dict.fromkeys(re.findall(r"`([^`]+)`", names), default.replace("`", ""))
    return found


def meant() -> dict[str, str]:
    """The same from the code."""
    settings = to_json(Settings("any", 0.9, 0.9, 1, 1))
    flat = {name: value for name, value in settings.items() if name not in RULES}
    for rule, kind in RULES.items():
        flat |= {f"{rule}.{part.name}": settings[rule][part.name] for part in fields(kind)}
    return {name: "needed" if name in NEEDED else IN_WORDS.get(name) or _written(flat[name]) for name in flat}


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:,}".removesuffix(".0")
    return str(value).replace("'", '"')


def test_every_setting_and_its_default() -> None:
    assert shown() == meant()
