# All take the same images, and call each update an epoch.
# expect: pend images: epochs of
s/^    loader_start\(t->train, t->mine, count, t->at.epoch\);/    (void)0;/
s/^        loader_next\(t->train, /        loader_start(t->train, t->mine + done, t->o->batch, t->at.epoch * 1000 + done);\n&/
