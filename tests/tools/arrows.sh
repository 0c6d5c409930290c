#!/usr/bin/env bash
# arrows.sh [DIR]: do the rooms of common/ (of the project, or of DIR) use each other in one
# direction only, judged by the includes? The contract NOUN.h on common/'s top belongs to the room
# with NOUN.c or NOUN_*.c; a header inside a room is private to it, except for those named here.
# With -v it prints all arrows. Exit status: 0 yes, 1 no.
set -u
export LC_ALL=C
verbose=
if [ "${1-}" = -v ]; then verbose=1; shift; fi
cd "${1:-$(dirname "$0")/../..}" || exit 2

find common -name '*.[ch]' -o -name '*.cu' | sort | awk -v verbose="$verbose" '
    function room_of(path) {
        sub(/^common\//, "", path)
        return sub(/\/[^\/]*$/, "", path) ? path : ""
    }
    function may(from, to,    n, i, words) { # may `from` include what belongs to `to`?
        if (from == to || from == "lab") return 1
        n = split(below[from], words)
        for (i = 1; i <= n; i++) if (words[i] == to) return 1
        return 0
    }
    function wrong(line) { print line; bad = 1 }
    BEGIN {
        below["backend"] = "base"
        below["backend/cpu"] = below["backend/cuda"] = "base backend"
        below["watch"] = "base"
        below["link"] = "base watch"
        below["comm"] = "base watch link backend backend/cuda" # NCCL needs CUDA
        below["data"] = "base backend comm"
        below["model"] = "base backend comm data"
        below["analysis"] = "base backend comm data model"
        below["judge"] = "base backend data model"
        below["study"] = "base backend comm data model analysis plot"
        below["plot"] = "base"
        own["watch/mpi_call.h"] = "link"
        own["watch/call_board.h"] = "link comm"
        own["backend/gpu_part.h"] = "comm"                    # loads the part for GPUs
        own["backend/backend_open.h"] = "backend/cpu backend/cuda"
        own["backend/cuda/cuda_check.h"] = "comm"
        own["backend/cuda/gpu_library.h"] = "comm"
    }
    { file[++files] = $0
      name = $0; sub(/.*\//, "", name)
      if (room_of($0) != "" && name ~ /\.c$/) {
          sub(/\.c$/, "", name)
          home[name] = room_of($0)
          for (noun = name; sub(/_[^_]*$/, "", noun);) if (!(noun in part)) part[noun] = room_of($0)
      } }
    END {
        home["tensor"] = home["backend_ops"] = "backend"
        for (i = 1; i <= files; i++) {
            from = room_of(file[i])
            if (from == "") {                                 # a contract
                noun = file[i]; sub(/^common\//, "", noun); sub(/\.h$/, "", noun)
                from = noun in home ? home[noun] : part[noun]
                if (from == "") wrong(file[i] ": no room implements this contract")
            }
            while ((getline line < file[i]) > 0) {
                if (line !~ /^#include "/) continue
                split(line, quoted, "\""); what = quoted[2]; noun = what
                if (what ~ /\//) {
                    to = what; sub(/\/[^\/]*$/, "", to)
                    if (to != from && index(" " own[what] " ", " " from " ") == 0)
                        wrong(file[i] ": " what " is a private header of another room")
                } else {
                    sub(/\.h$/, "", noun)
                    to = noun in home ? home[noun] : part[noun]
                    if ((getline none < ("common/" what)) < 0) to = from # beside it
                    close("common/" what)
                }
                if (to != from) arrows[from " -> " to]++
                if (!may(from, to)) wrong(file[i] ": " from " must not use " to " (" what ")")
            }
            close(file[i])
        }
        if (verbose) for (arrow in arrows) print arrow ": " arrows[arrow] | "sort"
        close("sort")
        if (!bad) print "arrows: " files " files, every include goes down"
        exit bad
    }'
