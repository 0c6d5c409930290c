/* gpt_study.c: the training, and what is measured meanwhile. */
#include "gpt_study.h"
#include "check.h"
#include "generate.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WATCHED = 200, FIRST_LINE = 50 };

/* Does `next` go on with this word after a blank, from position t - 1 on? */
static bool begins(const uint8_t *next, int t, int T, const char *word)
{
    int length = (int)strlen(word);
    return t >= 1 && t + length <= T && next[t - 1] == ' ' && !memcmp(next + t, word, length);
}

/* Marks the first two letters of each his, her and their whose sentence begins in the window, so
 * that its subject can be seen. Returns how many. */
static int mark_owners(bool *owner, const uint8_t *text, const uint8_t *next, int T)
{
    int found = 0;
    for (int t = 1; t + 1 < T; t++)
        if (begins(next, t, T, "his ") || begins(next, t, T, "her ") ||
            begins(next, t, T, "their ")) {
            if (!memchr(text, '\n', t))
                continue;
            owner[t] = owner[t + 1] = true;
            found++;
        }
    return found;
}

/* The window, and the position in it, that is shown first: the his or her that is farthest from its
 * sentence's beginning. (Before their, the verb's ending says enough.) */
static void choose_look(GptStudy *s)
{
    int farthest = 0;
    s->look = s->T - 1;
    for (int n = 0; n < s->watched; n++)
        for (int t = 1, begin = -1; t < s->T; t++) {
            begin = s->text[n * s->T + t - 1] == '\n' ? t : begin;
            int at = n * s->T + t;
            bool first = s->owner[at] && !s->owner[at - 1] && s->next[at] == 'h';
            if (first && begin >= 0 && t - begin > farthest) {
                farthest = t - begin;
                s->window = n, s->look = t;
            }
        }
}

static void upload_windows(GptStudy *s)
{
    Backend *be = s->spec.be;
    int count = s->watched * s->T;
    float *x = alloc(count, sizeof *x);
    int32_t *label = alloc(count, sizeof *label);
    for (int i = 0; i < count; i++)
        x[i] = s->text[i], label[i] = s->next[i];
    s->x = tensor_new(be, F32, s->watched, 1, s->T, 1, 0);
    s->label = tensor_new(be, I32, s->watched, 1, 1, s->T, 0);
    s->losses = tensor_new(be, F32, s->watched, 1, 1, s->T, 0);
    s->totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    be->op->upload(s->training->m->s, s->x, x);
    be->op->upload(s->training->m->s, s->label, label);
    free(x), free(label);
}

static void count_heads(GptStudy *s)
{
    const Model *m = s->training->m;
    for (int i = 0; i < m->nlayers; i++)
        if (m->layers[i].kind == LAYER_ATTENTION)
            s->heads += s->layer_heads = m->layers[i].heads;
    REQUIRE(s->heads <= GPT_MAPS, "--model %s: %d heads: the figure has room for %d", s->model,
            s->heads, GPT_MAPS);
}

void gpt_open(void *study, const Lab *lab, uint64_t seed)
{
    GptStudy *s = study;
    const Images *train = &lab->data->train, *test = &lab->data->test;
    REQUIRE(lab->comm->size == 1, "%d ranks: this part runs on one", lab->comm->size);
    REQUIRE(!strcmp(lab->be->op->name, "cpu") && lab->be->precision == PRECISION_FP32,
            "your functions compute on the CPU, in float32: --device cpu --precision fp32");
    REQUIRE(s->batch <= train->count, "--batch=%d is above the %d windows", s->batch, train->count);
    s->seed = seed;
    s->pace = (PlainPace){s->batch, s->rate, (double)s->updates * s->batch / train->count, 0};
    s->spec = (TrainingSpec){.be = lab->be,
                             .data = lab->data,
                             .model = model_spec_for(s->model, lab->data),
                             .images = train->count,
                             .test = test->count,
                             .batch = s->batch,
                             .epochs = INFINITY,
                             .sgd = {0.9, 0, false, 0},
                             .pace = training_plain,
                             .context = &s->pace};
    model_check(lab->be, &s->spec.model, s->batch);
    own_layers_on(lab->be, s->own);
    s->training = training_new(&s->spec, seed);
    s->T = test->w;
    s->watched = test->count < WATCHED ? test->count : WATCHED;
    s->text = test->pixels, s->next = test->labels;
    s->owner = alloc((size_t)s->watched * s->T, sizeof *s->owner);
    for (int n = 0; n < s->watched && lab->data->least_loss > 0; n++)
        s->owners += mark_owners(s->owner + n * s->T, s->text + n * s->T, s->next + n * s->T, s->T);
    choose_look(s);
    upload_windows(s);
    count_heads(s);
    s->maps = alloc((size_t)s->heads * s->T * s->T, sizeof *s->maps);
    s->seconds = s->library_seconds = s->difference = NAN;
}

void gpt_close(void *study)
{
    GptStudy *s = study;
    tensor_free(s->spec.be, s->x);
    tensor_free(s->spec.be, s->label);
    tensor_free(s->spec.be, s->losses);
    tensor_free(s->spec.be, s->totals);
    training_free(s->training);
    own_layers_off(s->spec.be);
    free(s->owner), free(s->maps);
}

/* ---- what is measured ---- */

static GptPoint measure(GptStudy *s)
{
    Model *m = s->training->m;
    const BackendOps *op = m->be->op;
    float *loss = alloc((size_t)s->watched * s->T, sizeof *loss);
    GptPoint p = {.update = (double)s->training->updates};
    model_forward(m, s->x, MODEL_EVAL);
    op->cross_entropy(m->s, NO_TENSOR, s->losses, s->totals, m->logits, s->label, NO_TENSOR, 1, 0);
    op->download(m->s, loss, s->losses);
    for (int i = 0; i < s->watched * s->T; i++) {
        p.loss += loss[i] / ((double)s->watched * s->T);
        p.owner += s->owner[i] ? loss[i] / (double)s->owners : 0;
    }
    free(loss);
    p.owner = s->owners ? p.owner : NAN;
    return p;
}

/* Where each head looks, in the window that is shown. */
static void look(GptStudy *s, float *maps)
{
    if (!s->own.attention)
        return;
    Tensor window = tensor_first(s->x, 1);
    window.at += (size_t)s->window * s->T;
    own_layers_watch(maps);
    model_forward(s->training->m, window, MODEL_EVAL);
    own_layers_watch(NULL);
}

static void write_line(GptStudy *s)
{
    char text[GPT_TEXT + 1] = {0};
    generate(s->training->m, (uint8_t *)text, GPT_TEXT, '\n',
             s->seed + (uint64_t)s->training->updates);
    for (int i = 0; i < GPT_TEXT; i++)
        text[i] = text[i] >= ' ' && text[i] < 127 ? text[i] : text[i] == '\n' ? '/' : '?';
    study_lock(&s->study, true);
    if (s->lines == GPT_LINES) /* the first one stays */
        memmove(s->line + 1, s->line + 2, (GPT_LINES - 2) * sizeof *s->line), s->lines--;
    memcpy(s->line[s->lines].text, text, sizeof text);
    s->line[s->lines++].update = (int)s->training->updates;
    study_lock(&s->study, false);
}

static void add_point(GptStudy *s)
{
    GptPoint p = measure(s);
    float *maps = alloc((size_t)s->heads * s->T * s->T, sizeof *maps);
    look(s, maps);
    study_lock(&s->study, true);
    memcpy(s->maps, maps, sizeof *maps * (size_t)(s->heads * s->T * s->T));
    if (s->points < GPT_POINTS)
        s->point[s->points++] = p;
    s->update = (int)s->training->updates;
    study_lock(&s->study, false);
    free(maps);
}

static double gradient_seconds(GptStudy *s, float *gradient)
{
    Model *m = s->training->m;
    double fastest = INFINITY;
    int n = s->batch < s->watched ? s->batch : s->watched;
    for (int i = 0; i < 3; i++) {
        double began = timer_now();
        model_gradient(m, s->totals, tensor_first(s->x, n), tensor_first(s->label, n));
        m->be->op->download(m->s, gradient, m->grads);
        fastest = fmin(fastest, timer_now() - began);
    }
    return fastest;
}

/* Your layers beside the library's: the same gradient, and how long it takes. */
static void compare(GptStudy *s)
{
    size_t n = tensor_count(s->training->m->grads);
    float *own = alloc(n, sizeof *own), *library = alloc(n, sizeof *library);
    double seconds = gradient_seconds(s, own), sum = 0, apart = 0;
    own_layers_off(s->spec.be);
    double faster = gradient_seconds(s, library);
    own_layers_on(s->spec.be, s->own);
    for (size_t i = 0; i < n; i++) {
        sum += (double)library[i] * library[i];
        apart += ((double)own[i] - library[i]) * ((double)own[i] - library[i]);
    }
    free(own), free(library);
    study_lock(&s->study, true);
    s->seconds = seconds, s->library_seconds = faster;
    s->difference = sqrt(apart / sum);
    study_lock(&s->study, false);
}

void gpt_work(void *study)
{
    GptStudy *s = study;
    Training *t = s->training;
    int every = s->updates / 60 > 1 ? s->updates / 60 : 1, next_line = FIRST_LINE;
    if (s->own.attention || s->own.layernorm)
        compare(s);
    add_point(s);
    write_line(s);
    while (t->updates < s->updates && study_all_go_on(&s->study)) {
        training_step(t);
        if (t->updates % every == 0 || t->updates == s->updates) {
            double loss = training_loss(t);
            if (!isfinite(loss))
                die(EXIT_WRONG, "update %d: the loss is %g: diverged; try a lower --rate",
                    (int)t->updates, loss);
            add_point(s);
            run_progress(s->study.lab->run, "training", (int)t->updates, s->updates, "updates",
                         NULL);
        }
        if (t->updates == next_line || t->updates == s->updates) {
            write_line(s);
            next_line *= 2;
        }
    }
}

void gpt_event(void *study, const PlotEvent *e)
{
    GptStudy *s = study;
    char key = e->kind == PLOT_KEY ? e->key : 0;
    if (key == '-' && s->look > 0)
        s->look--;
    else if ((key == '+' || key == '=') && s->look < s->T - 1)
        s->look++;
}
