# Each rank limits the length of its own gradient before the sum.
# after: honest/clipped
# expect: full
s/average\(t, m->grads\); clip\(t\);/clip(t); average(t, m->grads);/
