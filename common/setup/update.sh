#!/usr/bin/env bash
# update.sh TARBALL: takes a corrected tarball into the folder that an earlier one was unpacked to.
# A file that is as it was given out is replaced. One that you have changed stays; if the tarball
# has a new version, it is saved beside it as FILE.new. Your own files are not touched. Nothing is
# written before the whole tarball has been read and verified; after an interruption, call it again.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
die() { printf 'error: %s\n' "$*" >&2; exit 2; }
tarball=${1-} sums=common/setup/files.sha256 work=.update
most=200 # MB that a tarball may hold
[ -n "$tarball" ] || die "which tarball? make update TARBALL=labs.tar.gz"
[ -e $sums ] || die "no $sums here: this folder is not from a students' tarball, or from one made" \
    "before updates existed. Unpack the new one beside it and copy your files"
[ -f "$tarball" ] || die "$tarball: no such file"
rm -rf $work
mkdir $work || die "cannot write in $PWD"
trap 'rm -rf $work' EXIT
trap 'exit 2' INT TERM HUP

gzip -dc <"$tarball" 2>$work/log | head -c "${most}M" >$work/tar || [ "${PIPESTATUS[0]}" = 141 ] ||
    die "$tarball: $(sed -n 's/^gzip: stdin: //p' $work/log)"
[ "$(wc -c <$work/tar)" -lt $((most << 20)) ] || die "$tarball: more than $most MB in it"
tar -tvf $work/tar >$work/types 2>$work/log || die "$tarball: no tar archive, or a damaged one"
tar -tf $work/tar >$work/names
if grep -qv '^-' $work/types || grep -qvE '^labs/[A-Za-z0-9._/-]+$' $work/names ||
    grep -qE '(^|/)\.\.(/|$)|//' $work/names || ! grep -qx "labs/$sums" $work/names; then
    die "$tarball: not a tarball of these labs"
fi
tar -xmf $work/tar -C $work --no-same-owner 2>$work/log || die "$tarball: $(head -n 1 $work/log)"
new=$work/labs
(cd $new && sha256sum --check --strict --quiet $sums >/dev/null 2>&1) &&
    [ "$(find $new -type f | wc -l)" = $(($(wc -l <$new/$sums) + 1)) ] ||
    die "$tarball: a file in it does not match its checksum"

# What is each file: as given out, changed, gone? $sums has "sum  name" on each line. A link, a
# folder or what cannot be read counts as changed.
declare -A was is
files=()
while read -r sum name; do was[$name]=$sum; done <$sums
while read -r name; do
    if [ -e "$name" ] || [ -L "$name" ]; then is[$name]=changed; fi
    if [ -f "$name" ] && [ ! -L "$name" ]; then files+=("$name"); fi
done < <(cut -c 67- $sums $new/$sums | sort -u)
while read -r sum name; do
    is[$name]=$sum
done < <(sha256sum -- "${files[@]}" 2>$work/log </dev/null)
take=() remove=() beside=() added=0 own=0
while read -r sum name; do
    case ${is[$name]-} in
        "$sum") ;;
        '') take+=("$name"); added=$((added + 1)) ;;
        "${was[$name]-}") take+=("$name") ;;
        *) own=$((own + 1)); [ "$sum" = "${was[$name]-}" ] || beside+=("$name") ;;
    esac
done <$new/$sums
cut -c 67- $new/$sums | sort >$work/in_new
while IFS= read -r name; do
    case ${is[$name]-} in
        '') ;;
        "${was[$name]}") remove+=("$name") ;;
        *) own=$((own + 1)); echo "$name: no longer part of the labs; yours stays" ;;
    esac
done < <(cut -c 67- $sums | sort | comm -23 - $work/in_new)
[ ${#beside[@]} -le 100 ] || die "${#beside[@]} files are neither as they were given out nor" \
    "as in $tarball (Windows line endings?): unpack it beside this folder and copy your files"
for name in "${take[@]}" "${beside[@]}"; do
    folder=${name%/*}
    [ "$folder" = "$name" ] || mkdir -p "$folder" 2>$work/log || die "$(head -n 1 $work/log)"
    [ -w "${folder/#"$name"/.}" ] || die "$folder: cannot write there"
done

for name in "${take[@]}"; do mv -f "$new/$name" "$name"; done
for name in "${beside[@]}"; do
    mv -fT "$new/$name" "$name.new"
    echo "$name: yours stays; the new version is beside it: ${name##*/}.new"
done
for name in "${remove[@]}"; do rm -f "$name"; done
mv -f "$new/$sums" $sums
echo "update: $((${#take[@]} - added)) files replaced, $added added, ${#remove[@]} removed;" \
    "$own that you have changed stay"
