/* 7_scaling_laws.c: why you need more than one device. With more data the error falls as a power
 * law (Hestness et al., arXiv 1712.00409), between a region of too little data and a floor. The
 * program measures it on growing subsets, fits it, predicts how much data a target error needs, and
 * checks the prediction by training on that much. Then it computes what such a training run costs;
 * --cost prints that alone. Finished runs are kept. Exercises: exercises/7a_needed_examples.c,
 * 7b_training_days.c.
 */
#include "check.h"
#include "parts/7_scaling/learning_curve.h"

typedef struct Choices {
    RunOptions run;
    LearningCurve curve;
    bool full, cost;
} Choices;

static Choices defaults(void)
{
    Choices c = {.curve = {.model = "mlp",
                           .smallest = 4,
                           .largest = 16384,
                           .fit_from = 256,
                           .seeds = 3,
                           .batch = 64,
                           .updates = 1000,
                           .epochs = 10,
                           .rate = 0.05,
                           .momentum = 0.9,
                           .weight_decay = 5e-4,
                           .target = 0.115,
                           .test = 10000,
                           .cost = cost_default()}};
    c.run = run_options_default();
    c.run.threads = 1; /* an update of this small network ends before a second thread could
                        * help */
    return c;
}

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    LearningCurve *l = &c->curve;
    const Option options[] = {
        RUN_OPTIONS(c->run),
        {"model", ARG_STRING, &l->model, .help = "mlp, cnn, resnet8 …"},
        {"smallest", ARG_INT, &l->smallest, .min = 1, .max = 1e6,
         .help = "size of the smallest subset, in examples"},
        {"largest", ARG_INT, &l->largest, .min = 1, .max = 1e6,
         .help = "size of the largest subset in the fit; sizes double"},
        {"fit-from", ARG_INT, &l->fit_from, .min = 1, .max = 1e6,
         .help = "size of the smallest subset in the fit"},
        {"seeds", ARG_INT, &l->seeds, .min = 1, .max = 30,
         .help = "runs per size, each on different examples"},
        {"batch", ARG_INT, &l->batch, .min = 1, .max = 65536, .help = "images per update"},
        {"updates", ARG_INT, &l->updates, .min = 1, .max = 1e8,
         .help = "train for at least this many updates"},
        {"epochs", ARG_REAL, &l->epochs, .min = 0, .max = 1e4,
         .help = "train for at least this many epochs"},
        {"rate", ARG_REAL, &l->rate, .min = 1e-6, .max = 100,
         .help = "learning rate at the start; decays as a cosine"},
        {"momentum", ARG_REAL, &l->momentum, .min = 0, .max = 0.9999, .help = "momentum of SGD"},
        {"weight-decay", ARG_REAL, &l->weight_decay, .min = 0, .max = 1,
         .help = "weight decay of SGD"},
        {"target", ARG_REAL, &l->target, .min = 1e-6, .max = 1,
         .help = "test error for which the fitted law says how many images it takes"},
        {"test", ARG_INT, &l->test, .min = 100, .max = 1e6, .help = "test images used"},
        {"full", ARG_FLAG, &c->full,
         .help = "a convolutional network, more sizes, seeds and epochs: takes hours"},
        {"cost", ARG_FLAG, &c->cost, .help = "only the cost calculator"},
        COST_OPTIONS(l->cost),
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("7_scaling_laws",
               "The error as a power law of the data, and what a training run costs.", table, argc,
               argv);
    if (c->full)
        args_otherwise(table, "threads", "0", "model", "cnn", "largest", "32768", "seeds", "5",
                       "epochs", "20", "target", "0.08", NULL);
}

static void on_event(void *study, const PlotEvent *e)
{
    LearningCurve *l = study;
    char key = e->kind == PLOT_KEY ? e->key : 0;
    if (key == '-')
        l->cost.devices = l->cost.devices > 2 ? l->cost.devices / 2 : 1;
    else if (key == '+' || key == '=')
        l->cost.devices = l->cost.devices < 512 ? l->cost.devices * 2 : 1024;
}

static const PlotKey keys[] = {{"space", "pause, resume"},
                               {"- +", "fewer, more devices for your project"},
                               {"q", "quit; finished runs are kept"},
                               {0}};

/* The cost calculator alone: no data, no device. */
static int cost_alone(Choices *c, const Option *options)
{
    Run *run = run_open("lab1_scaling_laws", &c->run, options, NULL, true);
    const char *missing = exercise_missing("7b_training_days");
    if (missing)
        run_say(run, "to do: %s", missing);
    else
        cost_table(&c->curve.cost, run);
    run_close(run);
    return missing ? EXIT_TODO : 0;
}

int main(int argc, char **argv)
{
    Choices c = defaults();
    LearningCurve *l = &c.curve;
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    stop_on_signals();
    if (c.cost)
        return cost_alone(&c, table);
    l->study = (Study){.title = "Lab 1 · scaling laws",
                       .png = "scaling_laws.png",
                       .missing = exercise_missing(NULL),
                       .unfinished = STUDY_WHILE_SEEN, /* the curve needs no exercise */
                       .work = learning_curve_work,
                       .draw = learning_curve_draw,
                       .report = learning_curve_report,
                       .keys = keys,
                       .event = on_event};
    l->no_needed = exercise_missing("7a_needed_examples");
    l->no_costs = exercise_missing("7b_training_days");
    Lab lab = lab_open(comm_open(c.run.comm), &c.run);
    lab_data(&lab, &c.run, NULL);
    learning_curve_open(l, &lab, c.run.seed);
    lab_run(&lab, "lab1_scaling_laws", &c.run, table);
    if (lab.comm->rank == 0)
        learning_curve_file(l);
    int status = study_run(&l->study, &lab);
    sweep_free(l->runs);
    lab_close(&lab);
    return status;
}
