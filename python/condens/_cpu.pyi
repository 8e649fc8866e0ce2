"""The instruction-set level of this processor."""

level: int
