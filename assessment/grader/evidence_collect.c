/* evidence_collect.c: the process that receives the evidence while the submission trains, so that
 * it never reaches the grader's memory. When the training is over it reads the weights' file,
 * recomputes some gradients, and passes on its verdicts in shared memory. */
#include "check.h"
#include "checkpoint.h"
#include "inspection.h"
#include "safetensors.h"
#include "timer.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOKED_AT = 64 };                /* images recognised */
static const double MOST_SECONDS = 900; /* after the training */
static const double MOST_LONGER = 6;    /* than the two moves before: a file's last move */
static const double MOST_OFF =
    0.002; /* of the way: what a file's last move may leave unexplained */

typedef struct Verdicts {
    bool cut; /* to the collector, before the pipe's end: the run did not end by itself */
    bool complete;
    EvidenceVerdict verdict[3];
    double trained;
    Course course;
} Verdicts;

struct Collector {
    pid_t process;
    int stop; /* a pipe: the weights' path, and its end */
    Verdicts *shared;
};

typedef struct Collection {
    const GradeOptions *o;
    const Dataset *given;
    Evidence found;
    Lineup *lineup;
    Explainer *explainer;
    Averages *averages;
    Usage *usage;
    Model *layers; /* names and places of the layers, for the explainer */
    Backend *be;
    ModelSpec spec;
    Sample *sample;
    Gather *gather; /* NULL: the device is a GPU, whose batches have other roundings */
    Update *last;
    float *first;        /* w(0) */
    Precision precision; /* of the first pass */
    bool broken;         /* a fault: what follows is read, and ignored */
    int largest, epoch;  /* batch; of the last update, as its loader reports */
    bool together;       /* batch norm is synchronised */
    double began;        /* timer_now() */
    Course *course;
} Collection;

/* ---- while it trains ---- */

/* Which network is it? As the first message claims; the parameters must fit. */
static bool open_network(Collection *c, const Update *u)
{
    const EvidenceHead *h = &u->work[0].pass[0]->head;
    c->spec = (ModelSpec){.name = format_new("%s", h->name),
                          .h = h->h,
                          .w = h->w,
                          .c = h->c,
                          .classes = h->classes,
                          .no_skip = h->no_skip,
                          .no_batchnorm = h->no_batchnorm,
                          .ghost = h->ghost};
    memcpy(c->spec.hidden, h->hidden, sizeof c->spec.hidden);
    c->precision = (Precision)h->precision;
    c->be = backend_open(c->o->device, 0, 1, 1);
    c->layers = model_new(c->be, &c->spec, 1);
    if (c->layers->params.n != u->params)
        return false;
    if (c->be->op->buffer_host(c->layers->params.buf))
        c->gather = gather_new(c->be, c->layers->s, c->given);
    c->first = alloc((size_t)u->params, sizeof *c->first);
    memcpy(c->first, u->w, (size_t)u->params * sizeof *c->first);
    return true;
}

/* From w(0) on; a training that returns there, say after a range test of the learning rate (arXiv
 * 1506.01186), starts afresh: what came before does not count. */
static void begin(Collection *c, const Update *u)
{
    double bytes = (2.0 + u->np) * (double)u->params * sizeof(float);
    for (int r = 0; r < u->np; r++)
        for (int i = 0; i < u->work[r].passes; i++) {
            const EvidenceHead *h = &u->work[r].pass[i]->head;
            bytes += u->work[r].pass[i]->x ? 4.0 * h->n * h->h * h->w * h->c : 0;
        }
    averages_free(c->averages);
    c->averages = averages_new(u->params);
    if (c->last) {
        explainer_restart(c->explainer, c->last);
        sample_restart(c->sample, c->last);
    } else {
        c->explainer = explainer_new(u->np, u->params, c->layers->views, c->layers->nviews);
        c->sample = sample_new(u->params, bytes);
    }
}

static bool are_finite(const float *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

/* Is a value infinite or NaN? Comparisons with it, and so all limits, would be meaningless. A new
 * string; NULL: no. */
static char *not_finite(const Collection *c, const Pass *p)
{
    const EvidenceHead *h = &p->head;
    const char *what = NULL;
    if (p->weights && !are_finite(p->weights, (size_t)h->n))
        what = "samples' weights are";
    if (!are_finite(p->x, (size_t)h->n * (size_t)h->h * (size_t)h->w * (size_t)h->c))
        what = "batch is";
    if (!are_finite(p->g, (size_t)h->params))
        what = "gradient is";
    if (!are_finite(p->w, (size_t)h->params))
        what = "weights are";
    return what ? format_new("after update %d rank %d's %s infinite or not a number",
                             c->found.updates, h->rank, what)
                : NULL;
}

/* The last update's move led to these weights. */
static void moved(Collection *c, const float *after)
{
    Update *u = c->last;
    c->last = NULL;
    if (!u)
        return;
    explainer_move(c->explainer, u, after);
    sample_add(c->sample, u, after, explainer_made(c->explainer));
    update_free(u);
}

/* Is each batch what its loader took? Then its pixels need no room. */
static void check_batches(Collection *c, Update *u)
{
    for (int r = 0; r < u->np; r++)
        for (int i = 0; i < u->work[r].passes; i++) {
            Pass *p = u->work[r].pass[i];
            c->largest = p->head.n > c->largest ? p->head.n : c->largest;
            c->together = c->together || p->head.stats_ranks > 1;
            if (p->picks && c->gather) {
                void **unneeded = gather_fits(c->gather, p) ? (void **)&p->x : (void **)&p->picks;
                free(*unneeded);
                *unneeded = NULL;
            }
            if (!p->picks)
                usage_mark(c->usage, p);
        }
}

static void take_update(Collection *c, Update *u)
{
    if (!u)
        return;
    if (!c->layers && !open_network(c, u)) {
        snprintf(c->found.stream_fault, sizeof c->found.stream_fault,
                 "unknown or mismatched network in a message");
        c->broken = true;
        update_free(u);
        return;
    }
    check_batches(c, u);
    bool returns = !memcmp(u->w, c->first, (size_t)u->params * sizeof *u->w);
    if (returns) {
        begin(c, u);
        update_free(c->last);
        c->last = NULL;
        usage_begin_again(c->usage);
    }
    moved(c, u->w);
    int epoch = u->work[0].pass[0]->head.epoch;
    averages_add(c->averages, u->w, epoch != c->epoch);
    c->epoch = epoch;
    usage_add(c->usage, u);
    c->found.updates++;
    c->last = u;
}

static void note_fault(Collection *c, char *fault, char text[256])
{
    if (!fault)
        return;
    snprintf(text, 256, "%s", fault);
    free(fault);
    c->broken = true;
}

static void note_time(Collection *c, const Pass *p)
{
    int slot = (int)((timer_now() - c->began) / c->course->slot);
    slot = slot < COURSE_SLOTS ? slot : COURSE_SLOTS - 1;
    c->course->worked[p->head.rank][slot] += p->head.n;
}

static void listen_to(Collection *c, Sockets *sockets, int stop)
{
    for (;;) {
        char *fault = NULL;
        Pass *p = sockets_next(sockets, stop, &fault);
        bool faulty = fault != NULL;
        note_fault(c, fault, c->found.stream_fault);
        if (!p && !faulty)
            return;
        if (!p)
            continue;
        c->found.world[p->head.rank] = p->head.world;
        note_time(c, p);
        if (c->broken) {
            pass_free(p);
            continue;
        }
        fault = not_finite(c, p);
        if (fault) {
            note_fault(c, fault, c->found.number_fault);
            pass_free(p);
            continue;
        }
        Update *u = lineup_add(c->lineup, p, &fault);
        note_fault(c, fault, c->found.equal_fault);
        take_update(c, u);
    }
}

/* ---- afterwards ---- */

/* The file's weights, flat; NULL: it cannot be read. */
static float *read_file(Collection *c, const char *path)
{
    SafeTensors t;
    char *wrong = *path ? safetensors_read(path, &t) : format_new("none");
    free(wrong);
    if (wrong)
        return NULL;
    float *w = alloc((size_t)c->layers->params.n, sizeof *w);
    /* Other networks have tensors of these names and shapes, too, and more of them. */
    const char *model = safetensors_value(&t, "model");
    char *trained = checkpoint_model_text(&c->spec);
    bool whole = model && !strcmp(model, trained);
    free(trained);
    for (int v = 0; v < c->layers->nviews; v++) {
        const View *view = &c->layers->views[v];
        const SafeTensor *s = safetensors_find(&t, view->name);
        int64_t count = s ? 1 : 0;
        for (int d = 0; s && d < s->dims; d++)
            count *= s->shape[d];
        whole = whole && count == view->count && are_finite(s->data, (size_t)count);
        if (whole)
            memcpy(w + view->at, s->data, (size_t)count * sizeof *w);
    }
    safetensors_free(&t);
    if (!whole) {
        free(w);
        return NULL;
    }
    return w;
}

/* The last gradients made one update more: is the file its end? Or an average of weights before?
 * Returns the file's weights; NULL: it cannot be read. */
static float *end_of_way(Collection *c, const char *path)
{
    float *file = read_file(c, path);
    c->found.no_file = !file;
    c->found.absent = access(path, F_OK) != 0;
    c->found.explained = explainer_end(c->explainer, NULL);
    if (!file)
        return NULL;
    Explanation without = explainer_end(c->explainer, file);
    double usual = explainer_length(c->explainer), way = 0;
    for (int64_t i = 0; i < c->last->params; i++)
        way += pow((double)file[i] - c->last->w[i], 2);
    moved(c, file);
    Explanation with_file = explainer_end(c->explainer, file);
    c->found.ends = with_file.unexplained <= without.unexplained + MOST_OFF &&
                    sqrt(way) <= MOST_LONGER * usual;
    if (c->found.ends)
        c->found.explained = with_file;
    else if (averages_reach(c->averages, file)) {
        c->found.ends = true;
        c->found.explained = without;
    }
    return file;
}

/* Did another rank have it in this update? */
static bool is_doubled(const Collection *c, const Update *u, int rank, int image)
{
    for (int r = 0; r < u->np; r++)
        for (int k = 0; k < u->work[r].passes && r != rank; k++) {
            const Pass *p = u->work[r].pass[k];
            for (int i = 0; i < p->head.n; i++)
                if (p->picks ? p->picks[i].image == image : is_image(c->given, image, p, i))
                    return true;
        }
    return false;
}

static void look_at_images(Collection *c, const Update *u)
{
    for (int r = 0; r < u->np; r++)
        for (int k = 0; k < u->work[r].passes && c->found.looked_at < LOOKED_AT; k++) {
            const Pass *p = u->work[r].pass[k];
            if (p->picks)
                continue;
            for (int some = 0; some < 4; some++) {
                int i = (int)(sample_draw() * p->head.n);
                int image = known_image(c->given, p, i);
                c->found.looked_at++;
                c->found.recognised += image >= 0;
                c->found.doubled += image >= 0 && is_doubled(c, u, r, image);
            }
        }
}

static void note_right(Collection *c, const Update *u, double right)
{
    Course *to = c->course;
    if (to->points == COURSE_POINTS)
        return;
    to->images[to->points] = c->found.trained * u->index /
                             (c->found.updates ? c->found.updates : 1);
    to->right[to->points++] = right;
}

static void compute_again(Collection *c, const float *file)
{
    Update *chosen[SAMPLE_MOST];
    int count = sample_choose(c->sample, c->first, file, chosen, &c->found.needed);
    int batch = c->largest * (c->together ? c->found.np : 1);
    Replay *r = replay_new(c->o->device, c->precision, &c->spec, c->given, batch);
    c->found.starts = replay_starts(r, c->first, (uint64_t)c->o->seed, c->found.np);
    for (int k = 0; k < count && !c->found.replay_fault[0]; k++) {
        char *wrong = replay_update(r, chosen[k], &c->found.off);
        c->found.drawn++;
        note_right(c, chosen[k], replay_right(r));
        if (wrong)
            snprintf(c->found.replay_fault, sizeof c->found.replay_fault, "update %d: %s",
                     chosen[k]->index, wrong);
        free(wrong);
        look_at_images(c, chosen[k]);
    }
    c->found.distance = replay_mean_distance(r);
    replay_free(r);
}

static void judge(Collection *c, Verdicts *v)
{
    c->found.cut = v->cut;
    v->verdict[0] = judge_equal(&c->found);
    v->verdict[1] = judge_gradients(&c->found);
    v->verdict[2] = judge_images(&c->found);
    v->trained = c->found.trained;
    v->course.updates = c->found.updates;
    v->course.idle = true;
    for (int r = 0; r < c->found.np; r++)
        v->course.idle &= c->found.begun[r] == 0;
    v->complete = true;
}

static void finish(Collection *c, const char *path)
{
    while (!c->broken) {
        char *fault = NULL;
        Update *u = lineup_finish(c->lineup, &fault);
        note_fault(c, fault, c->found.equal_fault);
        if (!u)
            break;
        take_update(c, u);
    }
    for (int r = 0; r < c->found.np; r++)
        c->found.begun[r] = lineup_count(c->lineup, r);
    c->found.used = usage_end(c->usage);
    c->found.trained = c->found.used.trained;
    if (c->broken || !c->last)
        return;
    float *last = alloc((size_t)c->last->params, sizeof *last), *file;
    memcpy(last, c->last->w, (size_t)c->last->params * sizeof *last);
    file = end_of_way(c, path);
    if (!c->found.updates)
        return;
    compute_again(c, file ? file : last);
    free(last), free(file);
}

/* The path that the grader sends when the submission has ended; "": no file. */
static void read_path(int from, char *path, size_t size)
{
    size_t used = 0;
    ssize_t got;
    while (used + 1 < size && (got = read(from, path + used, size - 1 - used)) > 0)
        used += (size_t)got;
    path[used] = 0;
}

static void collect(const GradeOptions *o, const Dataset *given, Sockets *sockets, int stop,
                    Verdicts *shared)
{
    Collection c = {.o = o,
                    .given = given,
                    .began = timer_now(),
                    .course = &shared->course,
                    .found = {.np = o->np},
                    .lineup = lineup_new(o->np),
                    .usage = usage_new(o->np, given)};
    char path[4096];
    listen_to(&c, sockets, stop);
    read_path(stop, path, sizeof path);
    finish(&c, path);
    judge(&c, shared);
}

/* ---- the grader's side ---- */

Collector *collector_start(const char *path, const GradeOptions *o, const Dataset *given,
                           double budget)
{
    int ends[2];
    Sockets *sockets = sockets_open(path, o->np, &given->train);
    REQUIRE(sockets, "%s: cannot listen there: %s", path, strerror(errno));
    REQUIRE(!pipe(ends), "no pipe: %s", strerror(errno));
    Collector *c = alloc(1, sizeof *c);
    c->stop = ends[1];
    c->shared = mmap(NULL, sizeof *c->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0);
    REQUIRE(c->shared != MAP_FAILED, "out of memory: no room for the evidence");
    c->shared->course.slot = budget / COURSE_SLOTS;
    fflush(NULL);
    c->process = fork();
    REQUIRE(c->process >= 0, "cannot start a process: %s", strerror(errno));
    if (!c->process) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
        /* What the submission sends may not fill the machine's memory. */
        const rlim_t most = (rlim_t)8 << 30;
        setrlimit(RLIMIT_DATA, &(struct rlimit){most, most});
#endif
        close(ends[1]);
        collect(o, given, sockets, ends[0], c->shared);
        _exit(0);
    }
    close(ends[0]);
    sockets_close(sockets);
    return c;
}

static Finding finding_of(const Verdicts *v, int k)
{
    if (!v->complete)
        return (Finding){.pending = true,
                         .found = format_new("the evidence could not be read to its end"),
                         .advice = format_new("an instructor will look at it")};
    const EvidenceVerdict *e = &v->verdict[k];
    return (Finding){.passed = e->passed,
                     .pending = e->pending,
                     .found = format_new("%.511s", e->found),
                     .advice = e->passed ? NULL : format_new("%.511s", e->advice)};
}

double collector_end(Collector *c, const char *weights, Finding *findings, Course *course)
{
    size_t length = weights ? strlen(weights) : 0;
    if (length && write(c->stop, weights, length) != (ssize_t)length)
        note("cannot send the weights' path to the evidence collector");
    c->shared->cut = !findings[RUNS].passed;
    close(c->stop);
    double until = timer_now() + MOST_SECONDS;
    while (waitpid(c->process, NULL, WNOHANG) == 0) {
        if (timer_now() > until) {
            kill(c->process, SIGKILL);
            waitpid(c->process, NULL, 0);
            break;
        }
        usleep(5000);
    }
    static const int which[] = {EQUAL, GRADIENTS, IMAGES};
    for (int k = 0; k < 3; k++)
        findings[which[k]] = finding_of(c->shared, k);
    double trained = c->shared->trained;
    *course = c->shared->course;
    course->points = course->points < COURSE_POINTS ? course->points : COURSE_POINTS;
    munmap(c->shared, sizeof *c->shared);
    free(c);
    return trained;
}
