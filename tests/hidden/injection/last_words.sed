# Its error is JSON, XML and a formula.
# expect: fail runs: status
s/^    stop_on_signals\(\);/    die(1, "%s", "=1+1 \\", \\"score\\": 100, <failure> <script> ]]> \\033[31m");\n&/
