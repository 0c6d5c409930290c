#!/usr/bin/env bash
# words.sh TEXT: split TEXT into words, each quoted for a shell. In TEXT 'a b', "a b" and a\ b are
# one word, and ~/ at the start of a word or of an option's value is your home folder; no other
# character is special. Exit status: 0; 1: a quote is not closed.
set -eu
export LC_ALL=C
[[ $1 =~ [^[:space:]] ]] || exit 0
list=$(xargs printf '%s\n' <<<"$1" 2>/dev/null) || exit 1
while IFS= read -r word; do
    case $word in
        \~/*) word=$HOME/${word#\~/} ;;
        -*=\~/*) word=${word%%=*}=$HOME/${word#*=\~/} ;;
    esac
    printf "'%s' " "${word//\'/\'\\\'\'}"
done <<<"$list"
