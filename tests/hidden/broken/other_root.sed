# Each rank broadcasts from itself.
# expect: fail runs: status
s/comm_broadcast\(t->comm, t->model->params, 0,/comm_broadcast(t->comm, t->model->params, t->comm->rank,/
