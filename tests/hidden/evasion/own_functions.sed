# It has a function of the library's name that says nothing.
# expect: fail equal: no rank computed a gradient
s/^enum \{ TICKS/#include "evidence.h"\nvoid evidence_begin(void) {}\n&/
