# It trains on the validation images.
# expect: pend gradients: not in the training set
s/t->train = loader_new\(t->be, &d->train,/t->train = loader_new(t->be, \&d->test,/; s/t->data->train\.count/t->data->test.count/g; s/d->train\.count/d->test.count/g
