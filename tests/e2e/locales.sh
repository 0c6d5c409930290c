#!/usr/bin/env bash
# all: yes
# seconds: 600
# sanitizers: no
# In a Turkish locale, where 3.5 is written 3,5 and the capital of i is no I: the machine is probed,
# and a sample of these tests passes. The compiler's messages are in another language there.
set -u
. tests/e2e/_work.sh
type -P localedef >/dev/null && [ -d /usr/share/i18n/locales ] ||
    { echo "skipped: no localedef (Debian: locales)"; exit 77; }
gcc=$(type -P "${CC:-gcc}" || type -P gcc)
cat >"$work/gcc" <<EOF
#!/bin/sh
case \${LC_ALL:-\${LC_MESSAGES:-\$LANG}} in C | C.* | POSIX | '') exec "$gcc" "\$@" ;; esac
said=\$("$gcc" "\$@" 2>&1); status=\$?
[ -z "\$said" ] || echo "\$said" | sed 's/error:/Fehler:/; s/warning:/Warnung:/' >&2
exit \$status
EOF
chmod +x "$work/gcc"
locale=tr_TR
localedef -i $locale -f UTF-8 "$work/$locale.UTF-8" 2>"$work/log" ||
    [ -e "$work/$locale.UTF-8/LC_NUMERIC" ] || { cat "$work/log"; exit 1; }
in_locale=(env -u LC_NUMERIC -u LC_CTYPE LOCPATH="$work" LANG="$locale.UTF-8"
    LC_ALL="$locale.UTF-8")
[ "$("${in_locale[@]}" bash -c 'printf %.1f 0,5' 2>/dev/null)" = 0,5 ] ||
    { echo "wrong: $locale does not work here"; exit 1; }
"${in_locale[@]}" CC="$work/gcc" CUDA_HOME="$work/none" common/setup/probe.sh "$work/probe" run
grep -qx 'HAVE_MPI := 1' "$work/probe/config.mk" ||
    { cat "$work/probe/results"; echo "wrong: $locale: no MPI found"; failed=1; }
for test in answers lab2_worklog make_help parts; do
    "${in_locale[@]}" "tests/e2e/$test.sh" >"$work/log" 2>&1 && echo "ok: $locale: $test" ||
        { tail -n 20 "$work/log"; echo "wrong: $locale: $test"; failed=1; }
done
exit $failed
