// It ends at once, without an error.
// expect: fail weights: no file was written
int main(void) { return 0; }
