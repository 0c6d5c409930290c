# The compiler prints its words, of a full disk.
# expect: fail builds: No space left on device
1s/^/#line 1 "\/tmp\/x"\n#error No space left on device\n/
