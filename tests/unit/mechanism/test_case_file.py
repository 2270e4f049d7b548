"""Cases as JSON: read back as written, and refused in one line that names the key."""

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quorate.errors import InvalidInput
from quorate.mechanism.audit.case_file import Instead, case_to_json, load_case, parse_case, replay_to_json, units
from quorate.mechanism.audit.replay import replay
from quorate.mechanism.audit.variant import Variant
from quorate.mechanism.audit.worlds import family, world_case
from quorate.mechanism.coins import DEFAULT_ONE_IN
from quorate.money import MILLIONTHS
from quorate.policy import Stopping

GOOD: dict[str, Any] = {
    "bids": [18, 10, 16],
    "cap": 20,
    "error": "linear",
    "requirement": 0.5,
    "mu": 0.1,
    "horizon": 3,
    "realization": [[1, 1, 1], [0, 1, 0], [1, 0, 1]],
    "vary": 1,
    "grid": [10, 11.5],
}


def parsed(**changes: Any) -> Any:
    return parse_case(json.dumps({**GOOD, **changes}), "my.json")


def test_money_is_in_units_and_exact() -> None:
    case = parsed(bids=[0.000001, 10, 16.25])
    assert case.bids.tolist() == [1, 10 * MILLIONTHS, 16_250_000]
    assert case.grid.tolist() == [10 * MILLIONTHS, 11_500_000]
    assert case.cap == 20 * MILLIONTHS


def test_what_is_left_open_is_ccb_s_with_ga_and_hoeffding() -> None:
    case = parsed()
    assert (case.policy, case.selector, case.interval, case.seed) == ("ccb-s", "greedy", "hoeffding", 0)
    assert case.requirement == Decimal("0.5")


def test_the_varied_workers_own_bid_may_be_left_blank() -> None:
    assert parsed(bids=[18, None, 16]).bids.tolist() == [18 * MILLIONTHS, 0, 16 * MILLIONTHS]


def test_a_horizon_may_use_only_the_first_tasks() -> None:
    assert parsed(horizon=2).rows.shape == (3, 2)
    without = {key: value for key, value in GOOD.items() if key != "horizon"}
    assert parse_case(json.dumps(without)).horizon == 3


def test_another_policy_takes_its_own_selector() -> None:
    text = json.dumps({**GOOD, "policy": "ccb-s", "selector": "greedy", "interval": "hoeffding"})
    assert parse_case(text, instead=Instead(policy="assured")).selector == "exact"
    assert parse_case(text, instead=Instead(policy="assured")).interval == "anytime"
    assert parse_case(text, instead=Instead(selector="exact")).policy == "ccb-s"


def test_another_policy_leaves_what_means_nothing_to_it() -> None:
    aimed = {key: value for key, value in GOOD.items() if key != "requirement"} | {"target": 0.7}
    text = json.dumps({**aimed, "policy": "assured", "error": "log-odds", "eliminates": False, "pool": 2})
    joint = parse_case(text, instead=Instead(policy="assured-joint"))
    assert (joint.policy, joint.pool, joint.eliminates) == ("assured-joint", 2, True)
    assert parse_case(text, instead=Instead(policy="ccb-s")).pool is None
    with pytest.raises(InvalidInput, match="'error' means nothing to 'assured-joint'"):
        parse_case(text, instead=Instead(policy="assured-joint", error="linear"))
    with pytest.raises(InvalidInput, match="'requirement' means nothing to 'assured-joint'"):
        parse_case(json.dumps(GOOD), instead=Instead(policy="assured-joint"))


@pytest.mark.parametrize("error", ["majority", "likelihood", "hoeffding"])
def test_an_error_model_that_is_not_additive_brings_its_selector(error: str) -> None:
    aimed = {key: value for key, value in GOOD.items() if key != "requirement"} | {"target": 0.7, "error": error}
    case = parse_case(json.dumps(aimed))
    assert case.selector == error
    assert replay(case).monotone
    assert parsed(error="hoeffding").selector == "greedy"


def test_another_payment_takes_its_own_options() -> None:
    text = json.dumps({**GOOD, "grid": [10, 15, 20], "payment": "randomised", "cost": 10, "one_in": 20})
    assert parse_case(text).one_in == 20
    assert parse_case(text, instead=Instead(payment="threshold")).one_in == DEFAULT_ONE_IN
    assert parse_case(text, instead=Instead(error="margin")).error == "margin"


def test_a_target_takes_the_error_model_named() -> None:
    changed = {**GOOD, "target": 0.7, "error": "log-odds"}
    del changed["requirement"]
    case = parse_case(json.dumps(changed))
    assert case.constraints()[0].model.name == "log-odds"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bids": "18"}, "'bids' is \"18\": give a list of bids"),
        ({"bids": [18, -1, 16]}, "negative"),
        ({"bids": [18, 10]}, "one row per bid"),
        ({"bids": [18, 21, 16]}, r"outside \[0, 20\]"),
        ({"bids": [18, 0.0000001, 16]}, "finer than a millionth"),
        ({"bids": [18, None, 16], "vary": 0}, "is not a decimal number"),
        ({"grid": []}, "grid"),
        ({"grid": [30]}, r"outside \[0, 20\]"),
        ({"cap": "many"}, "'cap'"),
        ({"vary": 3}, "workers are counted from 0 to 2"),
        ({"vary": 1.5}, "'vary' is"),
        ({"realization": [[1, 1, 1], [0, 2, 0], [1, 0, 1]]}, "neither 0 nor 1"),
        ({"realization": [[1, 1], [0, 1, 0], [1, 0, 1]]}, "differ in length"),
        ({"realization": "101"}, "one row of 0 and 1 per worker"),
        ({"realization": []}, "realization"),
        ({"horizon": 4}, "'horizon' is 4 and the realization has 3 tasks"),
        ({"horizon": 0}, "at least one task"),
        ({"target": 0.9}, "not both"),
        ({"requirement": None}, "either"),
        ({"requirement": 0}, "requirement"),
        ({"error": "log-odds"}, "the error model 'log-odds' does not use"),
        ({"mu": 1}, "`mu` is 1; the chance that the intervals miss lies between 0 and 1, and not at an end: try 0.1"),
        ({"mu": 0}, "`mu` is 0;"),
        ({"mu": 1e-30}, "`mu` is 1e-30;"),
        (
            {"policy": "best"},
            "no policy is called 'best'; there are ccb-ns, ccb-s, ccb-se, epsilon-greedy, assured, assured-joint",
        ),
        ({"selector": "best"}, "no selector is called 'best'"),
        (
            {"policy": "assured", "selector": "exact", "stopping": "soon"},
            "'stopping' is \"soon\": no stopping rule is called 'soon'; there are price-gap, head-count",
        ),
        ({"kappa": "a/b"}, "'kappa'"),
        ({"policy": "assured", "selector": "exact", "kappa": "1e999999999"}, "at most nine digits"),
        ({"policy": "assured", "selector": "exact", "kappa": "1/0"}, "another denominator"),
        ({"slack": -0.1}, "give 0 or more"),
        ({"slack": 1e30}, "requirement"),
        ({"requirement": 1e30}, "requirement"),
        ({"policy": "assured", "selector": "exact", "requirement": 1e30}, "requirement"),
        ({"policy": "assured", "selector": "exact", "slack": 1e30}, "requirement"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"pool": 2}, "'pool' means nothing to 'ccb-s'"),
        ({"kappa": 1}, "'kappa' means nothing to 'ccb-s'"),
        ({"policy": "assured", "selector": "exact", "max_size": 3}, "'max_size' means nothing to 'assured'"),
        ({"policy": "assured-joint"}, "'requirement' means nothing to 'assured-joint'"),
        ({"policy": "assured-joint", "requirement": None, "target": 0.7}, "'error' means nothing to 'assured-joint'"),
        ({"policy": "assured", "selector": "exact", "eliminates": 1}, "true or false"),
        (
            {"policy": "assured", "selector": "exact", "eliminates": False, "stopping": "head-count"},
            "'eliminates' means nothing under head counts",
        ),
        ({"colour": 1}, "unknown key 'colour'"),
        ({"epsilon": 0.4}, "`epsilon` is 0.4, what 'linear' supposes of qualities where there is a `target`"),
        ({"requirement": None, "target": 0.6, "epsilon": 0.5}, "epsilon 0.5 is not in"),
        ({"payment": "threshold"}, "go together"),
        ({"payment": "randomised", "cost": 10}, "in equal steps, up to the cap 20"),
        ({"payment": "randomised", "cost": 10, "grid": [10, 14, 20]}, "in equal steps"),
        ({"payment": "randomised", "cost": 10, "grid": [20, 15, 10]}, "in equal steps"),
        ({"payment": "randomised", "cost": 10, "grid": [10, 20], "one_in": 1}, "one_in 1 is not a whole number"),
        ({"payment": "threshold", "cost": 10, "one_in": 8}, "'one_in' means nothing without the payment 'randomised'"),
        ({"payment": "vcg", "cost": 10}, "no payment is called 'vcg'"),
        ({"payment": "threshold", "cost": 9}, "not in `grid`"),
    ],
)
def test_bad_cases_get_one_line_that_names_the_file(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        replay(parsed(**changes))
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("my.json")


@pytest.mark.parametrize(
    ("key", "number", "message"),
    [
        ("requirement", "1e300", "between 1e-30 and 1e30"),
        ("requirement", "1e99999999", "between 1e-30 and 1e30"),
        ("slack", "1e300", "between 1e-30 and 1e30"),
        ("mu", "1e999999999999999999999", "exponent too large"),
        ("mu", "-0e999999999999999999999", "exponent too large"),
        ("cap", "1" * 5_000, "5000 characters is too long"),
        ("kappa", "1e999999999", "between 1e-30 and 1e30"),
        ("seed", "NaN", "NaN is not a number"),
        ("cap", "-Infinity", "-Infinity is not a number"),
        ("realization", "[" * 100_000, "nested too deeply"),
    ],
)
def test_numbers_without_bounds_are_refused_at_once(key: str, number: str, message: str) -> None:
    kept = {name: value for name, value in GOOD.items() if name != key}
    text = json.dumps(kept)[:-1] + f', "{key}": {number}' + "}"
    with pytest.raises(InvalidInput, match=message) as refused:
        parse_case(text, "my.json")
    assert str(refused.value).startswith("my.json")


def test_a_key_given_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"my\.json: the key 'vary' is given twice"):
        parse_case(json.dumps(GOOD)[:-1] + ', "vary": 0}', "my.json")


def test_a_case_made_in_python_is_held_to_the_same() -> None:
    case = parsed()
    with pytest.raises(InvalidInput, match="give a `target`"):
        replace(case, policy="assured-joint")
    with pytest.raises(InvalidInput, match="has no `pool`"):
        replace(case, pool=2)


@pytest.mark.parametrize("key", ["bids", "cap", "realization", "vary", "grid"])
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(InvalidInput, match=f"the key '{key}' is missing"):
        parse_case(json.dumps({name: value for name, value in GOOD.items() if name != key}))


@pytest.mark.parametrize("text", ["", "{", "[1]", "nan"])
def test_what_is_not_a_json_object_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="JSON"):
        parse_case(text)


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_bytes(b"\x80\x81")
    with pytest.raises(InvalidInput, match="not a text file"):
        load_case(path)


@pytest.mark.parametrize(
    "variant",
    [
        Variant("ccb-se", "greedy", slack=True),
        Variant("assured", pool=True, eliminates=False, error="log-odds", interval="anytime", slack=True),
        Variant("assured-joint", pool=True, stopping=Stopping.HEAD_COUNT),
        Variant("ccb-s", error="linear"),
    ],
)
def test_what_is_written_reads_back(variant: Variant) -> None:
    case = world_case(family(variant), 3, 5)
    text = case_to_json(case, about="a world")
    again = parse_case(text)
    assert case_to_json(again, about="a world") == text
    assert replay(again.with_grid([0, 7_000_000])) == replay(case.with_grid([0, 7_000_000]))


def test_the_result_is_the_contract_of_the_command_line() -> None:
    case = parsed()
    told = replay_to_json(case, replay(case))
    assert [entry["bid"] for entry in told["results"]] == [10, 11.5]
    assert told["results"][0] == {"bid": 10, "tasks": [3, 3, 3], "stop": None, "jury": [0, 1, 2]}
    assert told["monotone"] is True


def test_a_case_with_a_payment_tells_pay_and_gain() -> None:
    case = parsed(payment="pay-as-bid", cost=10)
    told = replay_to_json(case, replay(case))
    assert [(entry["pay"], entry["utility"]) for entry in told["results"]] == [(30, 0), (34.5, 4.5)]
    assert (told["worker"], told["cost"], told["lie"], told["gain"], told["gain_share"]) == (1, 10, 11.5, 4.5, None)
    assert told["truthful"] is False
    assert "pay-as-bid is not truthful" in told["why"]


def test_mode_r_tells_means_over_the_coins() -> None:
    """Three tasks at every bid: pay is 3 C on average, and no lie gains."""
    case = parsed(payment="randomised", cost=10, one_in=2, grid=[10, 15, 20], policy="ccb-s", selector="exact")
    told = replay_to_json(case, replay(case))
    assert [(entry["expected_tasks"], entry["pay"]) for entry in told["results"]] == [(3, 60)] * 3
    assert (told["gain"], told["lie"], told["truthful"]) == (0, None, True)
    assert replay_to_json(case, replay(parse_case(case_to_json(case)))) == told


def test_units_are_whole_where_they_can_be() -> None:
    assert units(3 * MILLIONTHS) == 3
    assert isinstance(units(3 * MILLIONTHS), int)
    assert units(1) == 0.000001
    assert np.isclose(units(2_500_000), 2.5)
