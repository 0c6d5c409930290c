/* async_study.c: see async_study.h. */
#include "async_study.h"
#include "check.h"
#include <math.h>

const int study_slow[STUDY_SLOWS] = {1, 2, 4, 8};
const char *const serve_names[SERVE_KINDS] = {"synchronous", "one backup worker", "asynchronous",
                                              "staleness-aware"};

static int workers(const AsyncStudy *s) { return s->study.lab->comm->size - 1; }

void async_open(void *study, const Lab *lab, uint64_t seed)
{
    AsyncStudy *s = study;
    s->seed = seed;
    REQUIRE(lab->comm->size > 2 && lab->comm->size <= SERVER_WORKERS + 1,
            "a server and 2 to %d workers: make lab2 ONLY=9_asynchrony NP=5", SERVER_WORKERS);
    s->server = server_new(lab, s->model, s->batch, s->images, s->test);
}

void async_close(void *study) { server_free(((AsyncStudy *)study)->server); }

/* ---- the model ---- */

static double message_seconds(const AsyncStudy *s)
{
    return 4.0 * (server_parameters(s->server) + 1) / s->link.bandwidth + s->link.latency;
}

double async_period(const AsyncStudy *s, double slow)
{
    return 1e-3 * s->compute * slow + 2 * message_seconds(s);
}

/* In a round of updates that wait, the server's card brings the others' messages one by one. */
double async_predicted(const AsyncStudy *s, ServeKind kind, double slow)
{
    int W = workers(s), used = kind == SERVE_BACKUP ? W - 1 : W;
    double each = message_seconds(s) - s->link.latency, fast = async_period(s, 1);
    double late = async_period(s, slow), rounds = (double)s->gradients / used;
    if (kind >= SERVE_ASYNC) /* or the server's card is busy all the time */
        return fmax(s->gradients / ((W - 1) / fast + 1 / late), s->gradients * each);
    if (kind == SERVE_BACKUP || slow == 1)
        return rounds * (fast + (used - 1) * each);
    /* the slow worker gets its weights last, and is alone when it sends */
    return rounds * fmax(late + (W - 1) * each, fast + (W - 1) * each);
}

/* ---- the runs: seed by seed ---- */

typedef struct Setting {
    int seed, kind, momentum, slow;
} Setting;

/* Seconds and staleness are those of one seed, and do not depend on the momentum; accuracies are
 * compared with one worker SLOW_SHOWN as slow: from every seed, with momentum and without. */
enum { TIMED = SERVE_KINDS * STUDY_SLOWS, COMPARED = SERVE_KINDS * STUDY_MOMENTA };

int async_runs(const AsyncStudy *s)
{
    return TIMED + COMPARED * s->seeds - SERVE_KINDS; /* in both of the first seed */
}

static Setting setting_of(int i)
{
    Setting at = {.kind = i % SERVE_KINDS};
    if (i < TIMED) {
        at.slow = i / SERVE_KINDS;
        return at;
    }
    i += SERVE_KINDS - TIMED;
    at.slow = SLOW_SHOWN;
    at.seed = i / COMPARED;
    at.momentum = i % COMPARED / SERVE_KINDS;
    return at;
}

static void run(AsyncStudy *s, int index)
{
    Setting at = setting_of(index);
    int W = workers(s);
    ServerSpec spec = {.wait_for = at.kind == SERVE_SYNC   ? W
                                 : at.kind == SERVE_BACKUP ? W - 1
                                                           : 1,
                       .aware = at.kind == SERVE_AWARE,
                       .gradients = s->gradients,
                       .batch = s->batch,
                       .rate = s->rate,
                       .momentum = at.momentum ? 0 : s->momentum,
                       .compute = 1e-3 * s->compute,
                       .slow = study_slow[at.slow],
                       .seed = s->seed + 1000ull * (uint64_t)at.seed};
    /* the same length of a step in the long run: without momentum a step is 1 / (1 - momentum)
     * times as short */
    if (at.momentum)
        spec.rate /= 1 - s->momentum;
    ServerResult r = server_run(s->server, &spec);
    study_lock(&s->study, true);
    s->result[at.kind][at.momentum][at.slow][at.seed] = r;
    s->done++;
    study_lock(&s->study, false);
}

void async_work(void *study)
{
    AsyncStudy *s = study;
    int all = async_runs(s);
    for (int i = 0; i < all && study_all_go_on(&s->study); i++) {
        run(s, i);
        run_progress(s->study.lab->run, "trained", i + 1, all, "networks", "");
    }
}
