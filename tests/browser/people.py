"""Somebody at a browser: what they do, and what may not happen meanwhile."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, Response, Route, expect

PICTURES = Path(__file__).parents[2] / "out" / "screenshots"
PATIENCE_MILLISECONDS = 15_000
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
# What Chromium writes to the console for a page whose status is an error: those are looked at by `expect`.
STATUS_SAID = "Failed to load resource: the server responded with a status of"


class Person:
    """One browser context. `wrong` collects requests that leave this machine, errors on the console and in scripts,
    violations of the pages' policy, and pages whose status is an error that was not expected.
    """

    def __init__(self, context: BrowserContext, address: str) -> None:
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        self.context = context
        self.address = address
        self.wrong: list[str] = []
        self._expected: list[int] = []
        context.route("**/*", self._pass)
        context.on("console", self._said)
        context.on("response", self._answered)
        context.on("weberror", lambda error: self.wrong.append(f"in a script: {error.error}"))
        self.page: Page = context.new_page()

    def expect(self, status: int) -> None:
        """One page with this status is no surprise."""
        self._expected.append(status)

    def go(self, address: str) -> Page:
        """`address` on this site, or a link to it."""
        self.page.goto(address if address.startswith("http") else self.address + address)
        return self.page

    def enter(self, link: str) -> Page:
        """Come in by a link, as it was sent."""
        self.go(link)
        self.page.wait_for_url(lambda url: "/enter" not in url)
        return self.page

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def press(self, name: str) -> Page:
        """A button by its words; returns when the page that it leads to is there."""
        with self.page.expect_navigation():
            self.button(name).click()
        return self.page

    def heading(self) -> str:
        return self.page.locator("h1").inner_text()

    def read(self) -> str:
        """All that is shown."""
        return self.page.locator("main").inner_text()

    def settle(self) -> None:
        """Until what comes after the page (what is simulated) is there."""
        expect(self.page.locator(".scripted:visible")).to_have_count(0)

    def leave(self) -> None:
        self.context.close()

    def picture(self, name: str) -> None:
        """Kept in out/screenshots, the whole page."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png", full_page=True)

    def _pass(self, route: Route) -> None:
        if urlsplit(route.request.url).hostname == "127.0.0.1":
            route.continue_()
        else:
            self.wrong.append(f"a request left this machine: {route.request.url}")
            route.abort()

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(STATUS_SAID):
            self.wrong.append(f"on the console: {message.text}")

    def _answered(self, response: Response) -> None:
        if response.status < 400:
            return
        if response.status in self._expected:
            self._expected.remove(response.status)
        else:
            self.wrong.append(f"{response.status} for {response.url}")
