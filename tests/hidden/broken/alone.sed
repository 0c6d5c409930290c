# Each rank opens a separate world.
# expect: fail equal: different weights
s/comm_open\(o->run.comm\)/comm_open("self")/
