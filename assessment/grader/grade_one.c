/* grade_one.c: one submission: build it, train it against the clock, score the weights that it
 * wrote, advise. Its results are written at the start, and again after each part: if the
 * grader is interrupted, partial results survive.
 */
#include "check.h"
#include "digest.h"
#include "file.h"
#include "folder_lock.h"
#include "inspection.h"
#include "plot.h"
#include "rng.h"
#include <zlib.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>

static const size_t MOST_SOURCE = 1 << 20, MOST_PROGRAM = 1 << 30;
static const uLongf MOST_PACKED = 12 << 10; /* bytes; ResNet-8 in two bits a weight: 19 KiB */
static const double MORE_IMAGES = 1.02; /* of those allowed: a last batch, an epoch's remainder */
static const double LEAST_BATCH = 0.95; /* on average: the epochs' last batches */
enum { LEAST_UPDATES = 8 }; /* of an epoch: with fewer images (--images) batches shrink */

/* ---- what is drawn ---- */

/* Ranks. Three on two cores take turns, but do the same total work. */
enum { MOST_DRAWN = 3 };

void grade_draw(GradeOptions *o)
{
    uint64_t random;
    if (o->secret < 0) {
        ASSERT(getrandom(&random, sizeof random, 0) == sizeof random);
        o->secret = (int64_t)(random >> 12);
    }
    if (o->seed < 0) {
        Rng r = rng_at((uint64_t)o->secret, RNG_WEIGHTS, 0, 0);
        o->seed = rng_u32(&r) >> 4;
    }
    if (!o->np) {
        Rng r = rng_at((uint64_t)o->secret, RNG_WEIGHTS, 1, 0);
        o->np = 2 + (int)rng_below(&r, MOST_DRAWN - 1);
    }
}

/* ---- files ---- */

/* A socket's path has at most 107 bytes, a student's name and a home folder more. */
static void socket_place(Paths *at)
{
    at->socket = format_new("%s/evidence", at->dir);
    if (strlen(at->socket) < sizeof((struct sockaddr_un *)0)->sun_path)
        return;
    free(at->socket);
    const char *folder = getenv("TMPDIR");
    at->apart = format_new("%s/evidence-XXXXXX",
                           folder && *folder && strlen(folder) < 80 ? folder : "/tmp");
    REQUIRE(mkdtemp(at->apart), "%s: %s", at->apart, strerror(errno));
    at->socket = format_new("%s/socket", at->apart);
}

static void must_remove(const char *path)
{
    REQUIRE(file_remove(path), "%s: what a run left cannot be removed: %s; remove it yourself",
            path, strerror(errno));
}

static Paths paths_make(const GradeOptions *o)
{
    char *out = realpath(o->out, NULL);
    REQUIRE(out, "%s: %s", o->out, strerror(errno));
    Paths at = {.dir = format_new("%s/run", out),
                .build_log = format_new("%s/build.log", out),
                .run_log = format_new("%s/run.log", out),
                .score_log = format_new("%s/score.log", out),
                .metrics = format_new("%s/metrics.csv", out)};
    at.program = format_new("%s/train", at.dir);
    at.data = format_new("%s/data", at.dir);
    socket_place(&at);
    at.hand = format_new("%s/hand", at.dir);
    at.weights = format_new("%s/weights.safetensors", at.hand);
    at.handed_in = format_new("%s/weights.safetensors", out);
    const char *old[] = {at.dir, at.handed_in, at.metrics, at.build_log, at.run_log, at.score_log};
    for (int i = 0; i < (int)(sizeof old / sizeof *old); i++)
        must_remove(old[i]);
    char *error = file_make_folder(at.hand);
    REQUIRE(!error, "%s", error);
    free(out);
    return at;
}

static void paths_free(Paths *at)
{
    if (at->apart)
        file_remove(at->apart);
    char *all[] = {at->dir,       at->program, at->data,      at->socket,    at->apart,
                   at->hand,      at->weights, at->handed_in, at->build_log, at->run_log,
                   at->score_log, at->metrics, at->sandbox,   at->no_sandbox};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        free(all[i]);
}

static void digest_file(char hex[65], const char *path, size_t most)
{
    char *bytes;
    size_t size;
    char *wrong = file_read(&bytes, &size, path, most);
    REQUIRE(!wrong, "%s", wrong);
    sha256_hex(hex, 65, bytes, size);
    free(bytes);
}

char *grade_key(const GradeOptions *o, const char *source, size_t size)
{
    char of_source[65], of_rubric[65], of_grader[65], key[65];
    sha256_hex(of_source, 65, source, size);
    digest_file(of_rubric, o->rubric, MOST_SOURCE);
    digest_file(of_grader, o->self, MOST_PROGRAM);
    char *all = format_new("%s %s %s %s %s %s %d %d %g %d %lld %lld", of_source, of_rubric,
                           of_grader, grade_data_kind(o), o->device, o->data_dir ? o->data_dir : "",
                           o->np, o->images, o->budget, o->epochs, (long long)o->secret,
                           (long long)o->seed);
    sha256_hex(key, 65, all, strlen(all));
    free(all);
    return format_new("%s", key);
}

/* ---- the machine ---- */

static const double LEAST_FREE = 64; /* MiB */

/* Processes that the system has killed for lack of memory, since it started. */
static long killed_for_memory(void)
{
    static const char name[] = "\noom_kill ";
    char text[1 << 16], *line = strstr(file_head(text, sizeof text, "/proc/vmstat"), name);
    return line ? atol(line + strlen(name)) : 0;
}

/* Why nothing that failed here says anything about the submission; NULL: it does. A new string. */
static char *machine_fault(const Report *r, long killed_before)
{
    struct statvfs disk;
    for (int k = 0; k < CRITERIA; k++)
        if (r->findings[k].machine)
            return format_new("%s", r->findings[k].found);
    if (statvfs(r->o->out, &disk) == 0 &&
        (double)disk.f_bavail * (double)disk.f_frsize < LEAST_FREE * (1 << 20))
        return format_new("%s: the disk has less than %g MiB free", r->o->out, LEAST_FREE);
    if (killed_for_memory() > killed_before)
        return format_new("this machine ran out of memory");
    return NULL;
}

/* Ends the run if a part failed by the machine's fault: no points, and not taken for graded. */
static void end_if_machine(const Report *r, const Paths *at, long killed_before)
{
    char *why = machine_fault(r, killed_before), *text;
    if (!why)
        return;
    text = format_new("could not be graded: %s; grade it again", why);
    file_remove(at->dir);
    if (at->apart)
        file_remove(at->apart);
    results_write_error(r->o->out, r->o->name, text);
    pages_write(r->o->out, &(char *){"."}, 1);
    die(EXIT_USAGE, "%s", text);
}

/* ---- the parts ---- */

/* Which images, for people: "synthetic: 18000 + 2000 images given, …". */
static char *images_text(const GradeData *d, const char *data, int epochs, int batch)
{
    return format_new("%s: %d + %d images given, %d epochs in batches of %d, scored on %d others",
                      data, d->given->train.count, d->given->test.count, epochs, batch,
                      d->held.count);
}

/* Accuracy from more images than are allowed, or from smaller batches, is not counted. (What was
 * found wrong with the images before says more than that a batch is small.) */
static void judge_images_used(Report *r)
{
    double batch = r->trained / fmax(1, r->course.updates);
    bool many = r->trained > MORE_IMAGES * r->allowed;
    bool small = !many && r->trained > 0 && batch < LEAST_BATCH * r->batch;
    for (int k = IMAGES; k <= VALIDATION && (many || small); k++) {
        Finding *f = &r->findings[k];
        if (!f->found || (small && k == IMAGES && !f->passed))
            continue;
        free(f->found), free(f->advice);
        *f = (Finding){0};
        f->found = many ? format_new("trained on %.0f images; %.0f are allowed", r->trained,
                                     r->allowed)
                        : format_new("an update takes %.0f images on average; at least %d required",
                                     batch, r->batch);
        if (k == IMAGES)
            f->advice = format_new("%s", many
                                             ? "end after --epochs passes over the training images "
                                               "(global batches count: step 4)"
                                             : "take --batch images per rank for each update");
    }
}

/* A network that was trained before can be handed in as text. It does not help (the weights must
 * start as model_init draws them, and each move be explained), but only a person can tell what so
 * much text is for. */
static void judge_source(Report *r, const char *source, size_t size)
{
    uLongf packed = compressBound(size);
    Bytef *room = alloc(packed, 1);
    Finding *f = &r->findings[GRADIENTS];
    bool large = compress2(room, &packed, (const Bytef *)source, size, 9) == Z_OK &&
                 packed > MOST_PACKED;
    free(room);
    if (!large || !f->passed)
        return;
    free(f->found);
    *f = (Finding){.pending = true,
                   .found = format_new("the source has %.0f KiB, compressed, where 5 are usual",
                                       packed / 1024.0),
                   .advice = format_new("hand in code alone: an instructor will look at this")};
}

/* A minimal program, known to be correct. */
static const char probe[] = "#include <mpi.h>\n"
                            "int main(int argc, char **argv)\n"
                            "{\n"
                            "    MPI_Init(&argc, &argv);\n"
                            "    MPI_Barrier(MPI_COMM_WORLD);\n"
                            "    return MPI_Finalize();\n"
                            "}\n";

/* Does it compile here, and run? */
static bool probe_works(const Report *r, const Paths *at, bool run)
{
    static const double SECONDS = 30;
    char *source = format_new("%s/probe.c", at->dir), *program = format_new("%s/probe", at->dir),
         *log = format_new("%s/probe.log", at->dir), *other = format_new("%s/probe.out", at->dir);
    GradeOptions o = *r->o;
    Paths own = *at;
    o.submission = source;
    own.program = program;
    own.build_log = own.run_log = log;
    own.handed_in = own.metrics = other;
    NewFile *f = file_begin(source);
    file_print(f, "%s", probe);
    char *wrong = file_commit(f);
    Finding found = {.found = wrong};
    double seconds;
    if (!wrong)
        found = grade_build(&o, &own);
    if (found.passed && run) {
        free(found.found);
        found = grade_run(&(Report){.o = &o, .budget = SECONDS, .batch = r->batch}, &own, &seconds);
    }
    free(found.found), free(found.advice);
    free(source), free(program), free(log), free(other);
    return found.passed;
}

/* A submission can print what a compiler or mpirun prints on a faulty machine: such words count
 * only if the probe fails, too. */
static void check_claim(Finding *f, const Report *r, const Paths *at)
{
    if (f->claimed)
        f->machine = !probe_works(r, at, f == &r->findings[RUNS]);
}

/* Open MPI's words where no rank came as far as to train. */
static const char *const launch_faults[] = {"PMIX ERROR", "pmix_init failed", "PMIx_Init failed",
                                            "PRTE ERROR", "ORTE_ERROR_LOG",   "orte_init",
                                            "prte_init",  "opal_init failed", NULL};

static void train_and_score(Report *r, const GradeData *images, const Paths *at)
{
    const GradeOptions *o = r->o;
    Collector *collector = collector_start(at->socket, o, images->given, r->budget);
    r->findings[RUNS] = grade_run(r, at, &r->seconds);
    results_write(r);
    r->trained = collector_end(collector, at->handed_in, r->findings, &r->course);
    Finding *runs = &r->findings[RUNS];
    char *line = runs->passed || runs->machine || r->trained > 0
                   ? NULL
                   : log_line_of(at->run_log, launch_faults);
    bool only_said = line && !runs->claimed;
    runs->claimed |= only_said;
    check_claim(runs, r, at);
    if (only_said && runs->machine) {
        free(runs->found);
        runs->found = format_new("%s", line);
    } else if (runs->passed && r->course.idle && !r->findings[EQUAL].pending) {
        free(runs->found), free(runs->advice);
        *runs = (Finding){.found = format_new("the ranks ended without computing a gradient"),
                          .advice = format_new("each update needs model_gradient() on every rank")};
    }
    free(line);
    if (runs->machine)
        return;
    results_write(r);
    grade_score(r, images, at);
    judge_images_used(r);
}

static void draw_figure(const Report *r)
{
    char *path = format_new("%s/grade.png", r->o->out), *wrong = grade_figure(r, path);
    REQUIRE(!wrong || !plot_has_cairo, "no figure: %s", wrong);
    if (wrong)
        note("no figure: %s", wrong);
    else
        printf("figure: %s\n", path);
    free(wrong);
    free(path);
}

bool grade_one(const GradeOptions *options)
{
    GradeOptions o = *options;
    const char *data = grade_data_kind(&o);
    Rubric rubric = rubric_read(o.rubric, data);
    char *sandbox, *no_sandbox = sandbox_missing(&sandbox), *source;
    size_t size;
    REQUIRE(!no_sandbox || o.trust,
            "no sandbox: %s; or run with ARGS=--trust: the submission then has all rights of your "
            "account",
            no_sandbox);
    char *error = file_make_folder(o.out);
    REQUIRE(!error, "%s", error);
    error = file_read(&source, &size, o.submission, MOST_SOURCE);
    REQUIRE(!error, "%s", error);
    FolderLock *lock = folder_lock(o.out, "grade");
    o.epochs = o.epochs ? o.epochs : rubric.epochs;
    Paths at = paths_make(&o);
    at.sandbox = sandbox;
    at.no_sandbox = no_sandbox;
    GradeData images = grade_data_make(&o, data, at.data);
    int batch = (int)fmax(1, fmin(rubric.batch, images.given->train.count / LEAST_UPDATES));
    Report r = {.o = &o,
                .rubric = &rubric,
                .images = images_text(&images, data, o.epochs, batch),
                .sandbox = sandbox_text(&at),
                .key = grade_key(options, source, size),
                .budget = o.budget > 0 ? o.budget : rubric.budget,
                .allowed = (double)o.epochs * images.given->train.count,
                .batch = batch,
                .attempt = results_attempt(o.out)};
    long killed = killed_for_memory();
    end_if_machine(&r, &at, killed);
    results_write(&r);
    r.findings[BUILDS] = grade_build(&o, &at);
    check_claim(&r.findings[BUILDS], &r, &at);
    results_write(&r);
    if (r.findings[BUILDS].passed)
        train_and_score(&r, &images, &at);
    judge_source(&r, source, size);
    if (!report_passed(&r))
        end_if_machine(&r, &at, killed);
    must_remove(at.data);
    must_remove(at.hand);
    r.complete = true;
    results_write(&r);
    report_print(&r);
    draw_figure(&r);
    pages_write(o.out, &(char *){"."}, 1);
    bool passed = report_passed(&r);

    for (int k = 0; k < CRITERIA; k++) {
        free(r.findings[k].found);
        free(r.findings[k].advice);
    }
    free(r.images), free(r.sandbox), free(r.key), free(source);
    grade_data_free(&images);
    paths_free(&at);
    folder_unlock(lock);
    rubric_free(&rubric);
    return passed;
}
