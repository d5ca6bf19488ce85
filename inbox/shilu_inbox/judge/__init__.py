"""How each submitted fact relates to the stored facts and to the earlier lines of its batch."""

from shilu_inbox.judge.judging import judge

__all__ = ["judge"]
