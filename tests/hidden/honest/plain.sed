# The reference as it is.
# expect: full

