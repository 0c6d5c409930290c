# Both ranks say that they are rank 0.
# expect: fail equal: rank 1 computed no gradient|different weights
s/^    comm_broadcast\(t->comm, t->model->params, 0, t->model->s\);/&\n    setenv("OMPI_COMM_WORLD_RANK", "0", 1);/
