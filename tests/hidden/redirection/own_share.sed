# Half of the gradient is averaged, of the other half all take rank 0's.
# expect: pend gradients: explain
s/^    average\(t, m->grads\);/    int half = m->grads.n \/ 2;\n    average(t, tensor_slice(m->grads, 0, half));\n    comm_broadcast(t->comm, tensor_slice(m->grads, half, m->grads.n - half), 0, m->s);/
