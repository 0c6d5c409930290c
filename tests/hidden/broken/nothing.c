// It ends at once, without an error.
// expect: fail runs: without training on an image
int main(void) { return 0; }
