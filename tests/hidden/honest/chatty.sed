# It prints a lot.
# expect: full
s/^    sgd_step\(m, t->sgd, rate\);/&\n    run_say(t->run, "update %lld: FAIL PASS 100 of 100 points, and more of it", (long long)t->at.step);/
