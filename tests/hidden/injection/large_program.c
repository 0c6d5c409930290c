// An honest mistake: an array that fills the compiler's room.
// expect: fail builds: the compiler failed
int table[60000000] = {1};
int main(void) { return table[1]; }
