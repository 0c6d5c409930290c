# Step 9 writes nothing.
# expect: fail weights: no file
/^static void save/,/^\}/s/checkpoint_save\(.*/(void)path;/
