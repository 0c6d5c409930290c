#!/usr/bin/env bash
# A submission that tries to harm (tests/hidden/harm/attacks.c) reaches nothing from inside the
# sandbox, and leaves nothing behind; nor does one whose compilation tries.
# seconds: 600
# sanitizers: no
set -u
why=$(assessment/grader/sandbox.sh works) || { echo "skipped: $why"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. tests/e2e/_work.sh
chmod 755 "$work"
listener=
trap '[ -z "$listener" ] || kill "$listener"; rm -rf "$work"' EXIT
. tests/e2e/_processes.sh
echo "a secret of this machine" >"$work/canary"
chmod 666 "$work/canary"
mkdir -m 777 "$work/neighbour"
mkdir "$work/neighbour.out"
cp "$work/canary" "$work/neighbour.out/metrics.csv"

# A port, an abstract socket and shared memory, which a neighbour would use.
cat >"$work/listen.py" <<'END'
import os, socket, sys
port = socket.socket()
port.bind(("127.0.0.1", 0))
port.listen()
number = port.getsockname()[1]
name = socket.socket(socket.AF_UNIX)
name.bind(f"\0labs-canary-{number}")
name.listen()
open(f"/dev/shm/labs-canary-{number}", "w").write("shared")
os.chmod(f"/dev/shm/labs-canary-{number}", 0o666)
print(number, flush=True)
sys.stdin.read()
os.unlink(f"/dev/shm/labs-canary-{number}")
END
mkfifo "$work/end"
python3 "$work/listen.py" <"$work/end" >"$work/port" &
listener=$!
exec 9>"$work/end"
within 60 test -s "$work/port"
port=$(cat "$work/port")
[ -n "$port" ] || { echo "no listener: $(cat "$work/port")"; exit 1; }

grade() { # name: grades $work/name.c, in which GRADER is the grader's process
    mkdir -p "$work/out.$1"
    LABS_SECRET=known bash -c 'sed -i "s/GRADER/$$/g" "$1"
        exec "$2" --submission "$1" --data synthetic --images 500 --budget 20 --device cpu \
            --np 2 --out "$3"' grade "$work/$1.c" "$BUILD/assessment/grader/grade" \
        "$work/out.$1" >"$work/$1.log" 2>&1
    status=$?
    [ $status = 1 ] || wrong "$1: the grader's exit status is $status"
    grep -q 'of 100 points' "$work/$1.log" || wrong "$1: no report: $(tail -n 3 "$work/$1.log")"
}

sed "s|CANARY|$work/canary|g; s|NEIGHBOUR|$work/neighbour|g; s|PROJECT|$PWD|g; s|PORT|$port|g" \
    tests/hidden/harm/attacks.c >"$work/attacks.c"
before=$(sha256sum "$BUILD/assessment/grader/grade" assessment/rubric.json)
grade attacks
grep -q 'all tried' "$work/out.attacks/run.log" ||
    wrong "it did not try: $(tail -n 5 "$work/out.attacks/run.log" "$work/attacks.log")"
! grep '^reached' "$work/out.attacks/run.log" || wrong "it reached more than it should"
[ "$(sha256sum "$BUILD/assessment/grader/grade" assessment/rubric.json)" = "$before" ] ||
    wrong "the project was changed"
! grep -rq 'a secret of' "$work/out.attacks" || wrong "the canary's words came out"
left() { # processes of the submission
    for process in /proc/[0-9]*; do
        [ ! "$process/exe" -ef "$work/out.attacks/run/train" ] || echo "$process"
    done
}
nothing_left() { [ -z "$(left)" ]; }
within 60 nothing_left || wrong "left: $(left)"

# The processes of one submission do not count against the next one's.
mkdir "$work/hand.1" "$work/hand.2"
users=$(for i in 1 2; do assessment/grader/sandbox.sh "$work/hand.$i" -- id -u; done | sort -u)
[ "$(id -u)" != 0 ] || [ "$(wc -l <<<"$users")" = 2 ] || wrong "two sandboxes are one user: $users"

# What it leaves is removed, however deep and without permissions: a second grading finds no trace.
cat >"$work/deep.c" <<'END'
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
    char name[201] = "";
    memset(name, 'd', 200);
    if (chdir("/submission/hand"))
        return 1;
    for (int i = 0; i < 60; i++)
        if (mkdir(name, 0700) || chdir(name) || chmod("..", 0))
            break;
    return 0;
}
END
for _ in 1 2; do
    grade deep
    [ ! -e "$work/out.deep/run/hand" ] || wrong "a run's folder is left"
done

# Files without a name count.
cat >"$work/nameless.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
static char bytes[1 << 20];
int main(void)
{
    for (int i = 0; i < 12 * 200; i++) {
        static int fd;
        if (i % 200 == 0) {
            fd = open("/submission/hand/file", O_WRONLY | O_CREAT, 0600);
            unlink("/submission/hand/file");
        }
        if (write(fd, bytes, sizeof bytes) < 0)
            break;
    }
    sleep(20);
    return 0;
}
END
grade nameless
grep -q '^FAIL  runs .*it wrote too much' "$work/nameless.log" ||
    wrong "nameless: $(grep runs "$work/nameless.log")"

# A file without end: the compiler runs out of memory, which is no fault of a machine that has it.
if [ "$(awk '/^MemTotal:/ { print ($2 > 5 * 2 ^ 20) }' /proc/meminfo)" = 1 ]; then
    printf '#include "/dev/zero"\nint main(void) { return 0; }\n' >"$work/endless.c"
    grade endless
    grep -q '^FAIL  builds .*the compiler ran out of memory' "$work/endless.log" ||
        wrong "endless: $(head -n 1 "$work/endless.log")"
fi

# The compiler reads files, too.
printf '#include "%s"\nint main(void) { return 0; }\n' "$work/canary" >"$work/include.c"
printf '__asm__(".incbin \\"%s\\"");\nint main(void) { return 0; }\n' "$work/canary" \
    >"$work/incbin.c"
for name in include incbin; do
    grade $name
    grep -q '^FAIL  builds' "$work/$name.log" || wrong "$name: it was built"
    ! grep -rq 'a secret of' "$work/out.$name" || wrong "$name: the canary's words came out"
done

[ "$(cat "$work/canary")" = "a secret of this machine" ] || wrong "the canary was changed"
[ -z "$(ls "$work/neighbour")" ] || wrong "the neighbour's folder was written to"
kill -0 $listener || wrong "the listener was ended"
exec 9>&-
wait $listener
listener=
exit $failed
