# Of the reference, the conversion alone: SGD in place of its remedy for large batches.
s/"muon\.h"/"optim.h"/
s/^    Groups \*groups;/    Sgd *sgd;/
/^\/\* With large batches/,/^}/d
s/t->groups = optimiser_new\(t\)/t->sgd = sgd_new(t->model, o->momentum, o->weight_decay, false)/
/^    \/\* At its peak/d
/^    double part = /d
s/groups_step\(.*/sgd_step(m, t->sgd, rate);/
s/groups_free\(t->model, t->groups\)/sgd_free(t->model, t->sgd)/
