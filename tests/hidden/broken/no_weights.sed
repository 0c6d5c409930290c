# It writes its weights elsewhere.
# expect: fail weights: no file was written
s/format_new\("%s", t->o->weights\)/format_new("%s.mine", t->o->weights)/
