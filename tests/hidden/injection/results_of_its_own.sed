# It leaves results.json and row files where it may write.
# expect: full
/^static void save/,/^}/s/^    free\(path\);/    char *other = format_new("%s.json", path);\n    fputs("{\\"score\\": 100}", fopen(other, "w"));\n    free(other);\n&/
