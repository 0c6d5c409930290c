/* network_study.c: see network_study.h. */
#include "network_study.h"
#include <math.h>

const double network_bandwidth[STUDY_BANDWIDTHS] = {1e8, 3e8, 1e9, 3e9, 1e10, 1e11};
const double network_latency[STUDY_LATENCIES] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
const StudyModel network_models[STUDY_MODELS] = {
    {.name = "MLP 784-1024-1024-10",
     .spec = {.name = "mlp", .h = 28, .w = 28, .c = 1, .classes = 10, .hidden = {1024, 1024}}},
    {.name = "ResNet-8", .spec = {.name = "resnet8", .h = 28, .w = 28, .c = 1, .classes = 10}}};

StudyPoint network_point(Choice choice, int index)
{
    StudyPoint p = {choice.model, 0, choice.link, choice.overlapped};
    if (index >= STUDY_BY_LATENCY) {
        int i = index - STUDY_BY_LATENCY;
        p.link.latency = network_latency[i % STUDY_LATENCIES];
        p.group = 2 * (i / STUDY_LATENCIES);
    } else if (index >= STUDY_BY_BANDWIDTH) {
        int i = index - STUDY_BY_BANDWIDTH;
        p.link.bandwidth = network_bandwidth[i % STUDY_BANDWIDTHS] / 8;
        p.group = i / STUDY_BANDWIDTHS;
    } else {
        p.model = index / GROUPS;
        p.group = index % GROUPS;
    }
    return p;
}

UpdateWork network_work(const NetworkStudy *s, StudyPoint point)
{
    UpdateWork work = s->model[point.model].work;
    work.buckets = point.overlapped ? STUDY_BUCKETS : 1;
    return work;
}

double network_predicted(const NetworkStudy *s, int index)
{
    StudyPoint p = network_point(s->choice, index);
    return efficiency(2 << p.group, network_work(s, p), p.link);
}

double network_measured(const NetworkStudy *s, int index)
{
    UpdateWork work = s->model[network_point(s->choice, index).model].work;
    return (work.forward + work.backward) / s->seconds[index];
}

bool network_possible(const NetworkStudy *s, int index)
{
    return s->groups.comm[network_point(s->choice, index).group];
}

double network_measure(NetworkStudy *s, StudyPoint point)
{
    UpdateWork work = network_work(s, point);
    Tensor grads = tensor_slice(s->grads, 0, (int)(work.bytes / 4));
    return charged_update(s->groups.comm[point.group], point.link, s->study.lab->be, grads, work);
}

void network_choose(NetworkStudy *s, Choice choice)
{
    for (int i = 0; i < STUDY_POINTS; i++) {
        StudyPoint old = network_point(s->choice, i), new = network_point(choice, i);
        if (old.model != new.model || old.link.bandwidth != new.link.bandwidth ||
            old.link.latency != new.link.latency || old.overlapped != new.overlapped)
            s->seconds[i] = NAN;
    }
    s->choice = choice;
}
