# Each rank broadcasts its own weights to itself.
# expect: fail equal: start from different weights
s/comm_broadcast\(t->comm, t->model->params, 0, /(void)(0, /
