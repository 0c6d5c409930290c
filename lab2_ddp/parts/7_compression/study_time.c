/* study_time.c: how long trainings take on any link, and what follows, from what was recorded. */
#include "check.h"
#include "compression_study.h"
#include "quantiles.h"
#include <math.h>
#include <stdlib.h>

const RemedySpec *study_spec(const CompressionStudy *s, int row)
{
    return &remedy_specs[s->remedy[row]];
}

int study_spread(double at[3], const double *v, int n)
{
    double *sorted = alloc(n + 1, sizeof *sorted);
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(v[i]))
            sorted[count++] = v[i];
    sort_ascending(sorted, count);
    at[0] = count ? sorted[0] : NAN;
    at[1] = count ? sorted[(count - 1) / 2] : NAN; /* of two the better one might be infinite */
    if (count && count % 2 == 0 && isfinite(sorted[count / 2]))
        at[1] = (at[1] + sorted[count / 2]) / 2;
    at[2] = count ? sorted[count - 1] : NAN;
    free(sorted);
    return count;
}

/* What does not depend on the link. The same network computes equally long with every remedy: the
 * time of `none` is all remedies' time. */
static double own_seconds(const CompressionStudy *s, int row)
{
    const RemedyResult *r = &s->result[row], *none = &s->result[0];
    return (study_spec(s, row)->hidden ? r->compute : none->compute) + r->compress;
}

static double update_seconds(const CompressionStudy *s, int row, int update, Link link)
{
    const UpdateCost *cost = &s->result[row].cost[update];
    return own_seconds(s, row) +
           wire_seconds(cost->call, cost->calls, s->study.lab->comm->size, link);
}

double study_seconds(const CompressionStudy *s, int row, double updates, Link link)
{
    double seconds = 0;
    if (!s->result[row].cost || !s->result[0].cost || isnan(updates))
        return NAN;
    if (isinf(updates))
        return INFINITY;
    for (int u = 0; u < s->updates && u < updates; u++)
        seconds += update_seconds(s, row, u, link) * fmin(1, updates - u);
    return seconds;
}

/* ---- accuracy over updates: a line through the points, from a guess among the classes on ---- */

static double accuracy_after(const CompressionStudy *s, const Trained *t, double updates)
{
    double at = 0, accuracy = 1.0 / s->study.lab->data->classes;
    for (int k = 0; k < s->points; k++) {
        if (s->point[k] >= updates)
            return accuracy + (t->accuracy[k] - accuracy) * (updates - at) / (s->point[k] - at);
        at = s->point[k];
        accuracy = t->accuracy[k];
    }
    return accuracy;
}

double study_updates_to(const CompressionStudy *s, int row, int seed, double accuracy)
{
    const Trained *t = &s->result[row].trained[seed];
    double at = 0, before = 1.0 / s->study.lab->data->classes;
    if (!t->done || isnan(accuracy))
        return NAN;
    for (int k = 0; k < s->points; k++) {
        if (t->accuracy[k] >= accuracy)
            return at + (s->point[k] - at) * (accuracy - before) / (t->accuracy[k] - before);
        at = s->point[k];
        before = t->accuracy[k];
    }
    return INFINITY;
}

double study_target(const CompressionStudy *s)
{
    double last[STUDY_SEEDS], at[3];
    for (int k = 0; k < s->seeds; k++) {
        const Trained *t = &s->result[0].trained[k];
        last[k] = t->done ? t->accuracy[s->points - 1] : NAN;
    }
    study_spread(at, last, s->seeds);
    return at[1] > s->below ? at[1] - s->below : NAN; /* none: it has not learnt that much */
}

double study_accuracy_at(const CompressionStudy *s, int row, int seed, double seconds, Link link)
{
    const RemedyResult *r = &s->result[row];
    double spent = 0;
    int u = 0;
    if (!r->trained[seed].done || isnan(seconds))
        return NAN;
    for (; u < s->updates; u++) {
        double next = update_seconds(s, row, u, link);
        if (spent + next > seconds)
            return accuracy_after(s, &r->trained[seed], u + (seconds - spent) / next);
        spent += next;
    }
    return accuracy_after(s, &r->trained[seed], s->updates);
}

double study_equal_time(const CompressionStudy *s, Link link)
{
    double least = NAN;
    for (int row = 0; row < s->remedies; row++)
        if (!study_spec(s, row)->hidden)
            least = fmin(least, study_seconds(s, row, s->updates, link));
    return least;
}

/* ---- the bandwidth below which it pays ---- */

/* Latencies and bytes apart. They come apart exactly where a collective takes the same way at all
 * bandwidths, as with large vectors it does. */
static Cost cost_of(const CompressionStudy *s, int row, double updates)
{
    Link only_latency = {INFINITY, s->latency}, one_byte = {1, 0};
    Cost cost = {.updates = updates, .seconds = own_seconds(s, row)};
    int P = s->study.lab->comm->size, n = isinf(updates) ? 1 : (int)ceil(updates);
    for (int u = 0; u < n && u < s->updates; u++) {
        const UpdateCost *c = &s->result[row].cost[u];
        cost.seconds += wire_seconds(c->call, c->calls, P, only_latency) / n;
        cost.bytes += wire_seconds(c->call, c->calls, P, one_byte) / n;
    }
    return cost;
}

double study_pays_below(const CompressionStudy *s, int row, int seed, double target)
{
    double plain = study_updates_to(s, 0, seed, target),
           remedy = study_updates_to(s, row, seed, target);
    if (isnan(plain) || isinf(plain) || isnan(remedy))
        return NAN;
    return pays_below(cost_of(s, 0, plain), cost_of(s, row, remedy));
}
