"""The service over HTTP: a versioned JSON API, server-sent events, signed webhooks, and pages (docs/api.md)."""

from quorate.web.app import create_app
from quorate.web.context import Context
from quorate.web.limits import Limits

__all__ = ["Context", "Limits", "create_app"]
