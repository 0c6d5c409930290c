# It switches the evidence off.
# expect: fail equal: no rank computed a gradient
s/^    stop_on_signals\(\);/    unsetenv("LABS_EVIDENCE");\n&/
