# It never stops training.
# expect: fail runs: still running
# seconds: 8
s/^    return fraction;/    return 0 * fraction;/
