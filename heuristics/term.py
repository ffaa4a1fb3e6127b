"""The interface of a compiled heuristic term."""

TERM = "int64(int64[::1], uint64[::1], int64, int64, uint64[::1], int64, int16[::1], int32[::1], int64, int64)"
