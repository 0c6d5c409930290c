#!/usr/bin/env bash
# doctor.sh OUT: what this machine has for the labs, what is missing, and the one command that installs it. Changes
# nothing outside OUT. Exit 0 when everything required is there, else 2. Lists of parts and packages are words in
# strings:
# shellcheck disable=SC2046,SC2086,SC2116
set -u
# shellcheck source=common/setup/packages.sh
. "$(dirname "$0")/packages.sh"
out=$1
"$(dirname "$0")/probe.sh" "$out" run

row() { printf '%-10s  %-8s  %-22.22s  %-34s  %s\n' "$@"; }
result() { awk -F '\t' -v part="$1" -v column="$2" '$1 == part { print $column }' "$out/probe/results"; }

# part_rows TITLE NEED…: a line per part
part_rows() {
    local part
    for part in $(part_list "$@"); do
        row "$part" "$(result "$part" 2)" "$(result "$part" 3)" "$(part_field "$part" 3)" "$(result "$part" 4)"
    done
}
title() { printf '\n%s\n' "$*"; }

row part status version "what for" "where, or why not"
title "required";                        part_rows required
title "wanted: works without";           part_rows optional
title "for 'make test', 'make lint'";    part_rows test lint
title "for NVIDIA GPUs: used where found"; part_rows gpu

title "this machine"
cores() { nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo "?"; }
gpus() {
    nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>/dev/null | sort | uniq -c |
        sed 's/^ *\([0-9]*\) /\1 x /' | paste -sd ';' -
}
display() {
    if [ -n "${WAYLAND_DISPLAY:-}" ]; then echo "Wayland, $WAYLAND_DISPLAY"
    elif [ -n "${DISPLAY:-}" ]; then echo "X, $DISPLAY"
    elif [ "$(uname -s)" = Darwin ]; then echo "macOS"
    else echo "none: pictures are written as PNG files under build/out/"
    fi
}
data_sets() {
    local dir file
    for dir in ${DATA_DIR:+"$DATA_DIR"} data /usr/share/datasets/fashion-mnist; do
        for file in "$dir"/{,*/}train-images-idx3-ubyte{,.gz} "$dir"/{,*/}data_batch_1.bin; do
            if [ -r "$file" ]; then
                case $file in *.bin) printf 'cifar10 in %s; ' "${file%/*}" ;; *) printf 'fashion in %s; ' "${file%/*}" ;; esac
            fi
        done
    done
    echo "synthetic (drawn by a generator, needs no file)"
}
system() { (. /etc/os-release 2>/dev/null && echo "$PRETTY_NAME, $(uname -m)") || uname -sm; }
line() { printf '%-10s  %s\n' "$@"; }
gpu=$(gpus)
line system "$(system)"
line cores "$(cores)"
line GPUs "${gpu:-none found (nvidia-smi)}"
line display "$(display)"
line data "$(data_sets)"

is_missing() { [ "$(result "$1" 2)" = missing ]; }
missing=$(for part in $(part_list required optional test); do if is_missing "$part"; then echo "$part"; fi; done)
must=$(for part in $(part_list required); do if is_missing "$part"; then echo "$part"; fi; done)
packages=$(not_installed $(packages_of $missing))
echo
if [ -z "$missing" ]; then echo "everything is here"
else
    echo "missing: $(echo $missing)"
    if [ -n "$packages" ]; then
        echo "install: $(install_command $packages)"
        if [ "$(id -u)" != 0 ] && [ "$(package_manager)" != brew ] && ! sudo -n true 2>/dev/null; then
            echo "         no sudo without a password here: if you have none, ask the administrator for exactly this"
        fi
    elif [ -z "$(package_manager)" ]; then
        echo "install: no apt-get, dnf, pacman or brew found: see the parts by name in common/setup/parts.txt"
    else echo "install: no package of this system would help; see the column 'why not', and common/setup/parts.txt"
    fi
fi
[ -z "$must" ] || exit 2
