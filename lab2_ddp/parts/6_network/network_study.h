/* network_study.h: part 6's experiment: the efficiency of 2 to 32 ranks, for two networks, against
 * bandwidth, latency and ranks, predicted and measured.
 */
#ifndef NETWORK_STUDY_H
#define NETWORK_STUDY_H
#include "charged.h"
#include "study.h"

enum {
    STUDY_MODELS = 2,
    STUDY_BANDWIDTHS = 6,
    STUDY_LATENCIES = 5,
    STUDY_FEW = 3,     /* of the groups, against latency: 2, 8 and 32 ranks */
    STUDY_BUCKETS = 8, /* of an overlapped update */
    /* The points, in the order in which they are measured. */
    STUDY_BY_RANKS = 0, /* both networks on the chosen link */
    STUDY_BY_BANDWIDTH = STUDY_BY_RANKS + STUDY_MODELS * GROUPS, /* the chosen network, … */
    STUDY_BY_LATENCY = STUDY_BY_BANDWIDTH + STUDY_BANDWIDTHS * GROUPS,
    STUDY_POINTS = STUDY_BY_LATENCY + STUDY_LATENCIES * STUDY_FEW
};
extern const double network_bandwidth[STUDY_BANDWIDTHS]; /* bit/s */
extern const double network_latency[STUDY_LATENCIES];    /* s */

typedef struct StudyModel {
    char name[32];
    ModelSpec spec;
    UpdateWork work; /* of one rank; buckets is the choice's */
} StudyModel;
extern const StudyModel network_models[STUDY_MODELS];

/* What the keys change. */
typedef struct Choice {
    int model;
    Link link;
    bool overlapped;
} Choice;

typedef struct StudyPoint {
    int model, group; /* P = 2 << group */
    Link link;
    bool overlapped;
} StudyPoint;

typedef struct NetworkStudy {
    Study study; /* first: study.h */
    int batch;
    StudyModel model[STUDY_MODELS];
    Groups groups;
    Tensor grads; /* as long as the larger network's */
    /* Guarded by the study's lock: */
    Choice choice;
    double seconds[STUDY_POINTS]; /* of an update; NaN: not measured with this choice */
} NetworkStudy;

StudyPoint network_point(Choice choice, int index);
UpdateWork network_work(const NetworkStudy *s, StudyPoint point);
/* Efficiencies: by exercise 6a, and measured (NaN: not yet). */
double network_predicted(const NetworkStudy *s, int index);
double network_measured(const NetworkStudy *s, int index);
/* Can it be measured with this number of ranks? */
bool network_possible(const NetworkStudy *s, int index);
/* All ranks. The seconds of an update. */
double network_measure(NetworkStudy *s, StudyPoint point);
/* What the new choice changes is forgotten. */
void network_choose(NetworkStudy *s, Choice choice);

/* network_view.c: the figure; the points as a table and a file. */
void network_draw(const void *study, Plot *plot);
void network_report(const void *study);
#endif
