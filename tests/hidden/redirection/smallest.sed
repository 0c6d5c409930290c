# An all-reduce with MIN.
# expect: pend gradients: explain
/^static void average/,/^}/s/COMM_SUM/COMM_MIN/
