# Another network.
# expect: full
s/"mlp"/"cnn"/
