/* overlap_study.c: see overlap_study.h. */
#include "overlap_study.h"
#include <math.h>

const double study_bandwidth[STUDY_BANDWIDTHS] = {1e8, 2e8, 4e8, 1e9, 2.5e9, 1e10};
const double study_size[STUDY_SIZES] = {0, 1e4, 3e4, 1e5, 3e5, INFINITY};

static Setting setting_of(Link link, double least, int index)
{
    static const ExchangeKind steady[] = {EXCHANGE_NONE, EXCHANGE_WHOLE, EXCHANGE_BUCKETS};
    Setting setting = {.link = link, .least = least};
    if (index >= STUDY_BY_BANDWIDTH) {
        int i = index - STUDY_BY_BANDWIDTH;
        setting.kind = EXCHANGE_PER_LAYER + i % STUDY_EXCHANGES;
        setting.link.bandwidth = study_bandwidth[i / STUDY_EXCHANGES] / 8;
    } else if (index >= STUDY_STEADY) {
        setting.kind = steady[index - STUDY_STEADY];
        setting.steady = true;
    } else if (index >= STUDY_BY_SIZE) {
        setting.kind = EXCHANGE_BUCKETS;
        setting.least = study_size[index - STUDY_BY_SIZE];
    } else if (index >= STUDY_CHOSEN)
        setting.kind = EXCHANGE_PER_LAYER + (index - STUDY_CHOSEN);
    return setting;
}

/* Of all settings: cheap, and the layers may just have been measured. */
static void predict(OverlapStudy *s)
{
    for (int i = 0; i < STUDY_SETTINGS; i++) {
        Setting setting = setting_of(s->link, s->least, i);
        s->predicted[i] = setting.steady ? NAN : bench_predicted(s->bench, &setting);
    }
}

void study_measure(OverlapStudy *s, Link link, double least, int index)
{
    static Measured m;
    bench_measure(&m, s->bench, setting_of(link, least, index));
    study_lock(&s->study, true);
    if (s->link.bandwidth == link.bandwidth && s->least == least)
        s->measured[index] = m;
    if (index == STUDY_COMPUTE)
        predict(s);
    study_lock(&s->study, false);
}

double study_share(const Measured *m) { return m->done ? m->exposed / m->step : NAN; }

double study_predicted(const OverlapStudy *s, int index)
{
    if (s->measured[index].done)
        return s->measured[index].predicted;
    return s->measured[STUDY_COMPUTE].done ? s->predicted[index] : NAN;
}

double study_predicted_share(const OverlapStudy *s, int index)
{
    const Measured *m = &s->measured[index], *compute = &s->measured[STUDY_COMPUTE];
    double rest = m->done ? m->step - m->exposed : compute->step, waits = study_predicted(s, index);
    return waits / (rest + waits);
}

void study_choose(OverlapStudy *s, Link link, double least)
{
    s->link = link;
    s->least = least;
    for (int i = STUDY_CHOSEN; i < STUDY_SETTINGS; i++)
        s->measured[i].done = false;
    if (s->measured[STUDY_COMPUTE].done)
        predict(s);
}
