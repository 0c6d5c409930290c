# A network with batch norm.
# expect: full
s/"mlp"/"resnet8"/
