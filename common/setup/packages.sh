# packages.sh: sourced by deps.sh and doctor.sh: the packages of each part on this system, and the
# command that installs them.
# shellcheck shell=bash disable=SC2154 # out, the build folder, is set by the script that sources it
setup_dir=$(dirname "${BASH_SOURCE[0]}")

# part_field PART COLUMN: that cell of parts.txt; columns 2 need, 3 what for, 4 apt-get, 5 dnf,
# 6 pacman.
part_field() {
    awk -F '|' -v part="$1" -v column="$2" '/^#/ { next } { name = $1; gsub(/ /, "", name) }
        name == part { text = $column; gsub(/^ +| +$/, "", text); print text; exit }' \
        "$setup_dir/parts.txt"
}

# part_list NEED…: the parts with one of these needs, or all, in the table's order.
part_list() {
    awk -F '|' -v needs=" $* " '/^#/ || NF < 6 { next } { gsub(/ /, "", $1); gsub(/ /, "", $2) }
        needs == "  " || index(needs, " " $2 " ") { print $1 }' "$setup_dir/parts.txt"
}

# missing_parts NEED…: those of them that probe.sh did not find.
missing_parts() {
    local part
    for part in $(part_list "$@"); do
        if grep -q "^$part	missing" "$out/probe/results"; then echo "$part"; fi
    done
}

# package_manager: apt-get, dnf, pacman, or nothing.
package_manager() {
    local manager
    for manager in apt-get dnf pacman; do
        if command -v "$manager" >/dev/null 2>&1; then echo "$manager"; return; fi
    done
}

# packages_of PART…: their packages on this system, each once; "-" in the table: no package.
packages_of() {
    local column part
    case $(package_manager) in
        apt-get) column=4 ;; dnf) column=5 ;; pacman) column=6 ;; *) return ;;
    esac
    for part in "$@"; do part_field "$part" "$column"; done |
        tr ' ' '\n' | grep -v '^-*$' | awk '!seen[$0]++'
}

# not_installed PACKAGE…: those not installed yet.
not_installed() {
    local package status
    for package in "$@"; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)
        if [ "$(package_manager)" != apt-get ] || [ "$status" != installed ]; then
            echo "$package"
        fi
    done
}

# apt_size PACKAGE…: what installing them takes: "12 packages, 34 MB to fetch, 56 MB on disk". Fails
# if the local package lists lack one.
apt_size() {
    local plan
    plan=$(LC_ALL=C apt-get install --print-uris -y --no-install-recommends "$@" 2>/dev/null) ||
        return 1
    LC_ALL=C awk -v quote="'" '
        / newly installed, / { packages = $1 + $3 }
        index($0, quote) == 1 { bytes += $3 }
        /^After this operation, .* will be used/ { disk = ", " $4 " " $5 " on disk" }
        END { printf "%d package%s, %.0f MB to fetch%s\n", packages, packages == 1 ? "" : "s",
            bytes / 1e6, disk }' <<<"$plan"
}

# install_command PACKAGE…: the command to type.
install_command() {
    local sudo="sudo " update=""
    [ "$(id -u)" != 0 ] || sudo=""
    case $(package_manager) in
        apt-get)
            apt_size "$@" >/dev/null || update="${sudo}apt-get update && "
            echo "$update${sudo}apt-get install -y --no-install-recommends $*" ;;
        dnf) echo "${sudo}dnf install -y $*" ;;
        pacman) echo "${sudo}pacman -S --needed $*" ;;
    esac
}
