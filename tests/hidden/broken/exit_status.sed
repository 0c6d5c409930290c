# All goes well, but for the exit status.
# expect: only fail runs: status 9
s/^    return 0;$/    return 9;/
