"""A campaign whose ledger was changed in the database: the operator is told, and led to the check that says where."""

from pathlib import Path

from playwright.sync_api import Browser

from tests.browser import played
from tests.browser.conftest import Visitors
from tests.browser.people import PHONE
from tests.browser.site import OPERATOR, Site
from tests.browser.test_looks import MEASURE, judged


def changed(folder: Path) -> str:
    """The campaign's name; no service has the database open any more."""
    with Site(folder) as site:
        name = played.bidding(site).name
    with Site(folder) as site, site.store._writing([]) as connection:
        connection.exec_driver_sql("DELETE FROM snapshots")
        connection.exec_driver_sql("DROP TRIGGER ledger_no_update")
        connection.exec_driver_sql("UPDATE ledger SET body = '{}' WHERE seq = 4")
    return name


def test_the_operator_is_led_to_where_a_ledger_was_changed(compiled: None, chromium: Browser, tmp_path: Path) -> None:
    name = changed(tmp_path)
    with Site(tmp_path) as site:
        visitors = Visitors(chromium, site)
        operator = visitors(viewport=PHONE)
        operator.enter(f"{site.address}/enter#{OPERATOR}")
        assert name in operator.page.get_by_role("alert").inner_text()
        operator.picture("campaigns-broken-phone")
        found = judged(operator.page.evaluate(MEASURE))
        operator.press(f"Check the ledger of {name}")
        assert "event 4 (" in operator.page.get_by_role("alert").inner_text()
        operator.picture("ledger-broken-phone")
        found += judged(operator.page.evaluate(MEASURE))
        operator.press("Check again")
        assert "event 4 (" in operator.page.get_by_role("alert").inner_text()
        visitors.leave()
    assert found == []
