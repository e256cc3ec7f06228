"""Speed, measured as ratios in one run on one machine: each `bench_*` module prints its own."""
