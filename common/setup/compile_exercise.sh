#!/usr/bin/env bash
# compile_exercise.sh SOURCE OBJECT COMPILER…: compile an exercise, 1a_NAME.c, which defines the
# function NAME. A mistake in it must not keep the other parts from being built: if it does not
# compile, or has no such function, the object gets a function NAME that ends its program with the
# compiler's first error.
set -u
source=$1 object=$2
shift 2
name=$(basename "$source" .c) name=${name#*_}

compile() { "$@" -Werror=implicit-function-declaration -c "$source" -o "$object"; }
if compile "$@" 2>"$object.log"; then
    cat "$object.log" >&2
    nm "$object" | grep -Eq " T _?$name\$" && exit 0
    message="$source: it does not define the function $name"
    echo "$message" >&2
else
    cat "$object.log" >&2
    error=$(grep -a -m 1 'error:' "$object.log" | tr -d '\000-\037' | cut -c 1-200)
    message="it does not compile: $error"
fi
broken=${object%.o}.broken.c
printf '#include "check.h"\nvoid %s(void) { die(EXIT_WRONG, "%%s", "%s"); }\n' \
    "$name" "$(printf %s "$message" | sed 's/[\\"]/\\&/g')" >"$broken"
exec "$@" -c "$broken" -o "$object"
