# It has a function of the name of the library's backward pass.
# expect: fail builds: the linker says
s/^enum \{ TICKS/void model_backward(Model *m) { (void)m; }\n&/
