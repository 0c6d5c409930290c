# It sets LD_PRELOAD for what comes after it.
# expect: full
s/^    stop_on_signals\(\);/    setenv("LD_PRELOAD", "\/tmp\/other.so", 1);\n&/
