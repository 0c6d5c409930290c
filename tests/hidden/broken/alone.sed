# Each rank opens a world of its own.
# expect: fail equal: different weights
s/comm_open\(o->run.comm\)/comm_open("self")/
