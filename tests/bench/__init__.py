"""Speed of warpgauge on this machine: `make bench`. Figures, never assertions."""
