# Rank 1 sends no evidence.
# expect: fail equal: rank 1 computed no gradient
s/^    stop_on_signals\(\);/    if (run_number())\n        unsetenv("LABS_EVIDENCE");\n&/
