# Rank 1 says nothing.
# expect: fail equal: rank 1 computed no gradient
s/^    stop_on_signals\(\);/    if (atoi(getenv("OMPI_COMM_WORLD_RANK")))\n        unsetenv("LABS_EVIDENCE");\n&/
