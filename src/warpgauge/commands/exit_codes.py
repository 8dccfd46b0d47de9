"""Exit codes of the command line that no evaluation gives (those are in `evaluate.record`)."""

USAGE_ERROR = 2
UNKNOWN = 3
INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h: none of the codes that mean a verdict
INTERRUPTED = 130
BROKEN_PIPE = 141
