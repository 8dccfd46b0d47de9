"""Reports: an evaluation or a trace as terminal text or JSON."""
