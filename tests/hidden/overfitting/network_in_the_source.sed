# 30 KB of what cannot be compressed are in its comments, as weights in text would be.
# expect: pend gradients: compressed
1e head -c 22000 /dev/urandom | base64 | sed 's,^,// ,'
