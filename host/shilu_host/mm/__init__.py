"""mm v1 (dsh-memory-standard): a memory in plain Markdown, an index of hard size and a file for each topic.

    from shilu_host.mm import Memory, Options

    memory = Memory.ensure(Options(root="~/team-memory"))
    outcome = memory.write("deploy-region", "We deploy to cn-north-1.", summary="Where", tags="infra")
    if not outcome.ok:
        print(outcome.code, outcome.usage.overflow)  # a budget was exceeded; nothing was written
    memory.reload()                                  # reads serve the snapshot taken at the last load
    print(memory.read_topic("deploy-region").body)
    print(memory.search("部署 region").matches)

`Memory` and `Options` are public, and so are the values they give (`shilu_host.mm.values`) and `MmError`.
Numbers in docstrings of this package (4.8, 9.4) are those of the document's requirements.
"""

from shilu_host.mm.errors import MmError
from shilu_host.mm.memory import Memory
from shilu_host.mm.options import Options
from shilu_host.mm.uris import MemoryUri, parse_memory_uri, uri_for
from shilu_host.mm.values import Note, Refused, SearchResult, Written

__all__ = [
    "Memory",
    "MemoryUri",
    "MmError",
    "Note",
    "Options",
    "Refused",
    "SearchResult",
    "Written",
    "parse_memory_uri",
    "uri_for",
]
