"""The live engine: commands in, events out; the only place that mutates (docs/campaigns.md)."""
