"""A real Chromium, the system's, for every browser test; a service of its own for every file."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, Playwright, expect, sync_playwright

from quorate.lab.plan import PlanRequest, make_plan
from tests.browser.people import PATIENCE_MILLISECONDS, Person
from tests.browser.site import Site
from tests.real_parts import skip_or_fail

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def driver() -> Iterator[Playwright]:
    """Not for the whole session: while it runs, nothing else in this process can start an event loop."""
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    with sync_playwright() as found:
        yield found


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        skip_or_fail("no Chromium on the PATH; install the system's package `chromium`")
    try:
        browser = driver.chromium.launch(executable_path=program, args=list(ARGUMENTS))
    except Error as error:
        skip_or_fail(f"{program} did not start ({error.message[:200]}); install the system's package `chromium`")
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def compiled() -> None:
    """What predictions are made with, so that no page waits for a compiler."""
    make_plan(PlanRequest(5, 0.7, 0.8, horizon=100, samples=1))


@pytest.fixture(scope="module")
def site(compiled: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture
def person(chromium: Browser, site: Site) -> Iterator["Visitors"]:
    visitors = Visitors(chromium, site)
    yield visitors
    visitors.leave()


class Visitors:
    """Makes people at browsers of their own; when they leave, nothing may have gone wrong in any of them."""

    def __init__(self, chromium: Browser, site: Site) -> None:
        self._chromium = chromium
        self._site = site
        self._made: list[Person] = []

    def __call__(self, **options: object) -> Person:
        """`options` of the browser's context: color_scheme, viewport, java_script_enabled."""
        made = Person(self._chromium.new_context(**options), self._site.address)
        self._made.append(made)
        return made

    def leave(self) -> None:
        for made in self._made:
            made.leave()
        wrong = [said for made in self._made for said in made.wrong]
        assert wrong == []
