// The compiler prints its words, of a full disk.
// expect: fail builds: No space left on device
#line 1 "/tmp/x"
#error No space left on device
int main(void) { return 0; }
