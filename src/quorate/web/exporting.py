"""The whole ledger as a file: what `quorate ledger verify` and `replay` read without the database."""

from collections.abc import Iterator
from itertools import islice

from starlette.responses import StreamingResponse

from quorate.campaign.service import CampaignService, export_line

LINES = "application/x-ndjson"
CHUNK = 500


def ledger_file(service: CampaignService, campaign: str) -> StreamingResponse:
    """A line of JSON an event."""
    name = f'attachment; filename="{campaign}.jsonl"'
    return StreamingResponse(_chunks(service, campaign), media_type=LINES, headers={"Content-Disposition": name})


def _chunks(service: CampaignService, campaign: str) -> Iterator[str]:
    """Many lines at once: each chunk crosses from a thread to the event loop."""
    lines = (export_line(campaign, record) + "\n" for record in service.records(campaign))
    while chunk := "".join(islice(lines, CHUNK)):
        yield chunk
