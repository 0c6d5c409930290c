/* gpt_study.h: part 10's experiment: a small GPT learns a made-up language with your attention
 * and layer norm; how well it predicts the words that depend on a subject many characters back, and
 * where its heads look meanwhile.
 */
#ifndef GPT_STUDY_H
#define GPT_STUDY_H
#include "own_layers.h"
#include "study.h"
#include "training.h"

enum { GPT_POINTS = 2048, GPT_LINES = 7, GPT_TEXT = 64, GPT_MAPS = 64 };

typedef struct GptPoint {
    double update, loss; /* mean of a character, in nats */
    double owner;        /* mean of a his, her, their, its first two letters; NAN: other text */
} GptPoint;

typedef struct GptStudy {
    Study study; /* first: study.h */
    const char *model;
    int batch, updates;
    double rate;
    uint64_t seed;
    OwnLayers own; /* what of it is written */
    /* ---- inside ---- */
    Training *training;
    TrainingSpec spec;
    PlainPace pace;
    int T, watched;          /* characters of a window; windows that are measured */
    uint8_t *text, *next;    /* [watched, T]: theirs, and the characters that follow each */
    bool *owner;             /* [watched, T]: `next` belongs to such a word's first two letters */
    int owners;              /* such words */
    Tensor x, label, losses; /* of the watched windows, on the device; */
    Tensor totals;           /* and what measuring adds up */
    /* ---- found ---- */
    GptPoint point[GPT_POINTS];
    int points, update; /* points so far, updates so far */
    struct {
        int update;
        char text[GPT_TEXT + 1]; /* what it wrote then */
    } line[GPT_LINES];
    int lines;
    int window, look; /* where the heads are looked at: a watched window, a position in it */
    int heads;        /* of all layers, at most GPT_MAPS */
    int layer_heads;  /* of one */
    float *maps;      /* [heads, T, T]; as of the last point */
    double seconds, library_seconds; /* of a gradient; NAN: not measured yet */
    double difference;               /* between the two gradients, relative */
} GptStudy;

void gpt_open(void *study, const Lab *lab, uint64_t seed);
void gpt_close(void *study);
void gpt_work(void *study);
void gpt_event(void *study, const PlotEvent *e);

/* gpt_view.c */
void gpt_draw(const void *study, Plot *plot);
void gpt_report(const void *study);
#endif
