# Weights are looked for in the folder of the images.
# expect: fail runs: status
s/^    train\(&t\);/    checkpoint_load("\/submission\/data\/cifar-10-batches-bin\/weights.safetensors", t.model, NULL, NULL);\n&/
