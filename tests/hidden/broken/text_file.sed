# The file is a text.
# expect: fail weights: cannot be scored
/^static void save/,/^\}/s/checkpoint_save\(.*/fputs("0.9999\\n", fopen(path, "w"));/
