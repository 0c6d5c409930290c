// It ends at once, without an error.
// expect: fail runs: without computing a gradient
int main(void) { return 0; }
