# packages.sh: sourced by deps.sh and doctor.sh: the packages of each part on this system, and the
# command that installs them.
# shellcheck shell=bash
setup_dir=$(dirname "${BASH_SOURCE[0]}")

# part_field PART COLUMN: that cell of parts.txt; columns 2 need, 3 what for, 4 apt-get, 5 dnf,
# 6 pacman, 7 brew.
part_field() {
    awk -F '|' -v part="$1" -v column="$2" '/^#/ { next } { name = $1; gsub(/ /, "", name) }
        name == part { text = $column; gsub(/^ +| +$/, "", text); print text; exit }' \
        "$setup_dir/parts.txt"
}

# part_list NEED…: the parts with one of these needs, in the table's order.
part_list() {
    awk -F '|' -v needs=" $* " '/^#/ || NF < 7 { next } { gsub(/ /, "", $1); gsub(/ /, "", $2) }
        index(needs, " " $2 " ") { print $1 }' "$setup_dir/parts.txt"
}

# package_manager: apt-get, dnf, pacman, brew, or nothing.
package_manager() {
    local manager
    for manager in apt-get dnf pacman brew; do
        if command -v "$manager" >/dev/null 2>&1; then echo "$manager"; return; fi
    done
}

# packages_of PART…: their packages on this system, each once; "-" in the table is none.
packages_of() {
    local column part
    case $(package_manager) in
        apt-get) column=4 ;; dnf) column=5 ;; pacman) column=6 ;; brew) column=7 ;; *) return ;;
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

# apt_knows PACKAGE…: are they all in the local package lists?
apt_knows() {
    local package
    for package in "$@"; do apt-cache show "$package" >/dev/null 2>&1 || return 1; done
}

# install_command PACKAGE…: the command to type.
install_command() {
    local sudo="sudo " update=""
    [ "$(id -u)" != 0 ] || sudo=""
    case $(package_manager) in
        apt-get)
            apt_knows "$@" || update="${sudo}apt-get update && "
            echo "$update${sudo}apt-get install -y --no-install-recommends $*" ;;
        dnf) echo "${sudo}dnf install -y $*" ;;
        pacman) echo "${sudo}pacman -S --needed $*" ;;
        brew) echo "brew install $*" ;;
    esac
}
