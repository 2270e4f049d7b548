"""The API, a router for each thing it is about. A handler parses, calls the service once, and shows the result."""
