"""The command lines of dsh-unified-agent-memory over this core."""
