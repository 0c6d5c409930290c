# It does not compile.
# expect: fail builds: the compiler says
s/^int main\(/int main((/
