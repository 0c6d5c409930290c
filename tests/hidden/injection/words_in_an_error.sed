# Its last words are the grader's, with escape characters, HTML, XML and JSON.
# expect: fail runs: status
s/^    finish\(&t\);/    fprintf(stderr, "error: \\033[2J\\033]0;x\\a<script>alert(1)<\/script>]]><\/testcase>\\",\\"score\\":100,\\"\\rPASS  equal 10\/10 =1+1,\\"\\"\\n100 of 100 points\\n");\n    exit(3);/
s/^#include <stdlib.h>/&\n#include <stdio.h>/
