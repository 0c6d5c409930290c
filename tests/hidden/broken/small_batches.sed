# Smaller batches than the grader asks for.
# expect: fail images: an update takes 32 images
s/^    args_parse\(.*/&\n    o->batch = 16;/
