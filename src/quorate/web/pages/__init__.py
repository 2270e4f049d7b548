"""The pages: what a requester, a worker and an auditor see in a browser. Rendered here, no build step.

A token in an HttpOnly cookie opens them, one cookie for each role and campaign; forms carry a mark of their own, which
other sites cannot know. A page calls the same service as the API and shows the same views.
"""

from quorate.web.pages.mounting import mount

__all__ = ["mount"]
