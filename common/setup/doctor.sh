#!/usr/bin/env bash
# doctor.sh OUT: the parts that this machine has, those it lacks, and the one command that installs
# them. Changes nothing outside OUT. Exit 0 if everything required is present, else 2. Lists of
# parts and packages are words in strings:
# shellcheck disable=SC2046,SC2086,SC2116
set -u
export LC_ALL=C
# shellcheck source=common/setup/packages.sh
. "$(dirname "$0")/packages.sh"
out=$1
"$(dirname "$0")/probe.sh" "$out" run || exit 2

row() { printf '%-10s  %-8s  %-22.22s  %-34s  %s\n' "$@"; }
result() { # PART COLUMN
    awk -F '\t' -v part="$1" -v column="$2" '$1 == part { print $column }' "$out/probe/results"
}

# part_rows TITLE NEED…: a line per part
part_rows() {
    local part
    for part in $(part_list "$@"); do
        row "$part" "$(result "$part" 2)" "$(result "$part" 3)" "$(part_field "$part" 3)" \
            "$(result "$part" 4)"
    done
}
title() { printf '\n%s\n' "$*"; }

row part status version "what for" "where, or why not"
title "required";                        part_rows required
title "optional";                        part_rows optional window data grade
title "for SOL=1, 'make test', 'make lint'"; part_rows solution unit test lint
title "for NVIDIA GPUs, used if found";  part_rows gpu

title "this machine"
gpus() {
    nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>/dev/null | sort | uniq -c |
        sed 's/^ *\([0-9]*\) /\1 x /' | paste -sd ';' -
}
display() {
    if [ -n "${WAYLAND_DISPLAY:-}" ]; then echo "Wayland, $WAYLAND_DISPLAY"
    elif [ -n "${DISPLAY:-}" ]; then echo "X, $DISPLAY"
    else echo "none: figures are saved as PNG files under build/out/"
    fi
}
data_sets() {
    local dir file
    for dir in ${DATA_DIR:+"$DATA_DIR"} data /usr/share/datasets/fashion-mnist; do
        for file in "$dir"/{,*/}train-images-idx3-ubyte{,.gz} "$dir"/{,*/}data_batch_1.bin; do
            if [ -r "$file" ]; then
                case $file in
                    *.bin) printf 'cifar10 in %s; ' "${file%/*}" ;;
                    *) printf 'fashion in %s; ' "${file%/*}" ;;
                esac
            fi
        done
    done
    echo "synthetic (generated, needs no file)"
}
system() { (. /etc/os-release 2>/dev/null && echo "$PRETTY_NAME, $(uname -m)") || uname -sm; }
line() { printf '%-10s  %s\n' "$@"; }
gpu=$(gpus)
line system "$(system)"
line cores "$(nproc)"
line GPUs "${gpu:-none found (nvidia-smi)}"
line display "$(display)"
line data "$(data_sets)"

missing=$(missing_parts required optional window data grade solution unit test)
must=$(missing_parts required)
packages=$(not_installed $(packages_of $missing))
echo
if [ -z "$missing" ]; then echo "nothing is missing"
else
    echo "missing: $(echo $missing)"
    if [ -n "$packages" ]; then
        echo "install: $(install_command $packages)"
        if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
            echo "         sudo needs a password here; without one" \
                "ask the administrator to run exactly this"
        fi
    elif [ -z "$(package_manager)" ]; then
        echo "install: no apt-get, dnf or pacman found:" \
            "common/setup/parts.txt names the parts"
    else
        echo "install: no package on this system provides it:" \
            "see the last column and common/setup/parts.txt"
    fi
fi
[ -z "$must" ] || exit 2
