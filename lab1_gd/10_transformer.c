/* 10_transformer.c: what a language model computes. A small GPT learns a made-up language,
 * whose verbs and whose his, her and their depend on a subject many words back; attention and the
 * derivatives of softmax and layer norm are your functions. The figure shows how the loss falls,
 * where each head of attention looks, and what the model writes. Exercises:
 * exercises/10a_attention.c, 10b_softmax_backward.c, 10c_layernorm_backward.c.
 */
#include "check.h"
#include "parts/10_transformer/gpt_study.h"

static void parse(RunOptions *run, GptStudy *s, Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS_DATA(*run, "text|licences", "text: *.txt of --data-dir, or a made-up language"),
        {"model", ARG_STRING, &s->model, .help = "gpt-D-L-H: width D, L layers, H heads"},
        {"batch", ARG_INT, &s->batch, .min = 1, .max = 1024, .help = "windows per update"},
        {"updates", ARG_INT, &s->updates, .min = 1, .max = 1e6, .help = "updates"},
        {"rate", ARG_REAL, &s->rate, .min = 1e-6, .max = 100,
         .help = "learning rate at the start; decays as a cosine"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("10_transformer", "A small language model that computes attention with your code.",
               table, argc, argv);
}

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {"- +", "look from one character further left, right"},
                               {"q", "quit"},
                               {0}};

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.device = "cpu";
    run.threads = 1; /* as your functions have: a second one would only wait for them */
    run.data = "text";
    static GptStudy s;
    s = (GptStudy){.study = {.program = "lab1_transformer",
                             .open = gpt_open,
                             .close = gpt_close,
                             .title = "Lab 1 · a language model",
                             .png = "transformer.png",
                             .missing = exercise_missing(NULL),
                             .unfinished = STUDY_ANYWAY,
                             .work = gpt_work,
                             .draw = gpt_draw,
                             .report = gpt_report,
                             .keys = keys,
                             .event = gpt_event},
                   .model = "gpt-32-2-4",
                   .batch = 8,
                   .updates = 6000,
                   .rate = 0.3};
    s.own = (OwnLayers){!exercise_missing("10a_attention"),
                        !exercise_missing("10b_softmax_backward"),
                        !exercise_missing("10c_layernorm_backward")};
    Option table[MOST_OPTIONS];
    parse(&run, &s, table, argc, argv);
    return study_main(&s.study, &run, table, NULL, NULL);
}
