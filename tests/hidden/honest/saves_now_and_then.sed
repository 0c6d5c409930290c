# It writes the weights every tenth update, and continues to train after the last time.
# expect: full
s/^        train_step\(t, &b, rate\);/&\n        if (t->at.step % 10 == 0)\n            save(t);/
s/^    if \(over\) .*/    if (false)/
