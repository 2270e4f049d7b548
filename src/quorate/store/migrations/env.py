"""Alembic runs this: on the connection that quorate.store.migrate hands over, inside its transaction."""

from alembic import context

from quorate.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
