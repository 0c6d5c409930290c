# It sleeps when it has written its weights: too late, but the weights count.
# expect: only fail runs: late|still running
# seconds: 12
s/^    comm_close\(t\.comm\);/    while (timer_now() - t.born < t.o->budget + 1)\n        ;\n&/
