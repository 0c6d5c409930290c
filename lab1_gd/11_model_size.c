/* 11_model_size.c: how large a model, and how much text? Small GPTs of five sizes learn from four
 * amounts of text; the loss as a law of both is fitted, and predicts the best model for twice the
 * computation, which is then trained (Hoffmann et al., arXiv 2203.15556). Exercises:
 * exercises/11a_fit_law.c, 11b_optimal_size.c.
 */
#include "check.h"
#include "parts/11_size/law_study.h"

static void parse(RunOptions *run, LawStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS_DATA(*run, "facts", "a text of facts, whose entropy is known"),
        {"seeds", ARG_INT, &s->seeds, .min = 1, .max = LAW_SEEDS, .help = "trainings of each size"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 1024, .help = "windows per update"},
        {"windows", ARG_INT, &s->windows, .min = 8, .max = 1e6,
         .help =
             "windows of 64 characters in the largest text of the fit; the others have a half, a "
             "quarter and an eighth"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "learning rate at the start; decays as a cosine"},
        {"clip", ARG_REAL, &s->clip, .min = 0, .max = 1e6,
         .help = "shorten gradients longer than this; 0: none"},
        {"compute", ARG_REAL, &s->budget, .min = 0.01, .max = 100,
         .help =
             "operations for which the best model is predicted, as a multiple of the fit's largest "
             "training"},
        {"test", ARG_INT, &s->test, .min = 100, .max = 1e6, .help = "test windows used"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("11_model_size",
               "The loss as a function of model and text size, and what that predicts.", table,
               argc, argv);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* the ranks share the trainings */
    run.data = "facts";
    static LawStudy s;
    s = (LawStudy){.study = {.program = "lab1_model_size",
                             .open = law_open,
                             .title = "Lab 1 · the size of a model and of its text",
                             .png = "model_size.png",
                             .missing = exercise_missing(NULL),
                             .unfinished = STUDY_WHILE_SEEN, /* trainings need no exercise */
                             .work = law_work,
                             .draw = law_draw,
                             .report = law_report},
                   .seeds = 1,
                   .batch = 1,
                   .windows = 32768,
                   .rate = 0.1,
                   .clip = 1,
                   .budget = 2,
                   .test = 4000};
    s.no_fit = exercise_missing("11a_fit_law");
    s.no_optimum = s.no_fit ? s.no_fit : exercise_missing("11b_optimal_size");
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, NULL, &s.test);
}
