/* 8_predict.c: how fast is a training on 1 … 1,536 devices? The time of an update here, measured,
 * and a network of your choice; keys change both. Beside it what others have measured.
 * Exercise: exercises/8a_step_seconds.c.
 *
 * Not modelled: reading the data, stragglers, a slower clock under load, networks that several
 * share, memory; nor how many updates a larger batch needs (parts 1 to 7).
 */
#include "check.h"
#include "exercise.h"
#include "link.h"
#include "predict/measured.h"
#include "predict/published.h"
#include "study.h"
#include "train_to_target.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_DEVICES = 1536, SIZES = 60 };

typedef struct Predictor {
    Study study;
    Commands commands;
    const char *model;
    int devices, per_node, batch;
    double gbits, latency, overlap, faster, watts, price; /* gbits/s; latency in µs */
    bool half; /* bf16: half the bytes, `faster` computing */
    double parameters;
    /* measured */
    bool ready;
    double image_seconds, update_seconds; /* an update is their a b + c */
    Measured measured;                    /* on this machine's ranks */
} Predictor;

static Cluster cluster_of(const Predictor *p, int devices, bool hierarchical)
{
    double beta = 8 / (p->gbits * 1e9), compute = p->update_seconds + p->batch * p->image_seconds;
    bool fitted = !isnan(p->measured.alpha);
    return (Cluster){.devices = devices,
                     .per_node = p->per_node,
                     .compute = compute / (p->half ? p->faster : 1),
                     .bytes = p->parameters * (p->half ? 2 : 4),
                     .alpha = p->latency * 1e-6,
                     .beta = beta,
                     .alpha_in = fitted ? p->measured.alpha : p->latency * 1e-7,
                     .beta_in = fitted ? p->measured.beta : beta / 10,
                     .overlap = p->overlap,
                     .hierarchical = hierarchical};
}

static double images_per_second(const Predictor *p, int devices, bool hierarchical)
{
    Cluster c = cluster_of(p, devices, hierarchical);
    return devices * p->batch / step_seconds(&c);
}

/* Images per second and device, of what one device alone makes, in per cent. */
static double efficiency(const Predictor *p, int devices, bool hierarchical)
{
    return 100 * images_per_second(p, devices, hierarchical) /
           (devices * images_per_second(p, 1, hierarchical));
}

static void draw_speed(const Predictor *p, Plot *plot)
{
    static const char *const names[] = {"flat ring", "rings in machines, and between"};
    PlotPanel *panel = plot_panel(
        plot, (PlotAxes){.title = "Efficiency",
                         .x = {.label = "devices", .log = 10},
                         .y = {.label = "images/s per device, % of one", .low = 0, .high = 105},
                         .legend = PLOT_BOTTOM_LEFT});
    if (!p->ready) {
        plot_note(panel, "measuring how fast this machine computes …");
        return;
    }
    for (int k = 0; k < 2; k++) {
        double x[SIZES], y[SIZES];
        for (int i = 0; i < SIZES; i++) {
            int devices = (int)round(pow(MOST_DEVICES, i / (SIZES - 1.0)));
            x[i] = devices;
            y[i] = efficiency(p, devices, k);
        }
        plot_line(panel, SIZES, x, y, (PlotStyle){.color = plot_series(k), .label = names[k]});
    }
    double here = p->devices, now = efficiency(p, p->devices, true);
    plot_scatter(panel, 1, &here, &now, (PlotStyle){.color = plot_series(1), .size = 11});
}

/* An update of this machine's ranks: nothing overlaps, and they compute as fast as together. */
static double ranks_predicted(const Predictor *p, int ranks)
{
    return step_seconds(&(Cluster){.devices = ranks,
                                   .per_node = ranks,
                                   .compute = p->measured.alone[ranks - 1],
                                   .bytes = p->parameters * 4,
                                   .alpha_in = p->measured.alpha,
                                   .beta_in = p->measured.beta});
}

static void draw_published(Plot *plot)
{
    double measured[PUBLISHED_ROWS], predicted[PUBLISHED_ROWS], ends[] = {0.1, 200};
    PlotPanel *panel = plot_panel(plot, (PlotAxes){.column = 1,
                                                   .title = "Published trainings",
                                                   .x = {.label = "measured (hours)", .log = 10},
                                                   .y = {.label = "predicted (hours)",
                                                         .log = 10,
                                                         .low = 0.07,
                                                         .high = 5000}, /* room for the legend */
                                                   .legend = PLOT_TOP_LEFT});
    plot_line(panel, 2, ends, ends, (PlotStyle){.color = plot_series(7), .dashed = true});
    for (int i = 0; i < PUBLISHED_ROWS; i++) {
        measured[i] = published[i].hours;
        predicted[i] = published_predicted(&published[i]);
        plot_scatter(panel, 1, measured + i, predicted + i,
                     (PlotStyle){.color = plot_series(i), .size = 9, .label = published[i].what});
    }
}

static void draw_ranks(const Predictor *p, Plot *plot)
{
    const Measured *m = &p->measured;
    double ranks[MEASURED_RANKS], measured[MEASURED_RANKS], predicted[MEASURED_RANKS], most = 0;
    for (int i = 0; i < m->ranks; i++) {
        ranks[i] = i + 1;
        measured[i] = 1e3 * m->together[i];
        predicted[i] = 1e3 * ranks_predicted(p, i + 1);
        most = fmax(most, fmax(measured[i], predicted[i]));
    }
    PlotPanel *panel =
        plot_panel(plot, (PlotAxes){.column = 2,
                                    .title = "Ranks of this machine",
                                    .x = {.label = "ranks", .low = 0.5, .high = m->ranks + 0.5},
                                    .y = {.label = "ms per update", .low = 0, .high = 1.1 * most},
                                    .legend = PLOT_BOTTOM_RIGHT});
    plot_line(panel, m->ranks, ranks, predicted,
              (PlotStyle){.color = plot_series(1), .label = "predicted"});
    plot_scatter(panel, m->ranks, ranks, measured,
                 (PlotStyle){.color = plot_series(0), .size = 9, .label = "measured"});
}

static char *summary(const Predictor *p)
{
    Cluster c = cluster_of(p, p->devices, true);
    double step = step_seconds(&c), million = 1e6 / (p->devices * p->batch) * step;
    double hours = p->devices * million / 3600;
    return format_new("%d devices, %d per machine · %.3g Gbit/s, %.3g µs · batch %d each, %s · "
                      "%.4g images/s, efficiency %.0f %% · a million images: %.3g s, %.3g Wh, "
                      "cost %.3g",
                      p->devices, p->per_node, p->gbits, p->latency, p->batch,
                      p->half ? "bf16" : "fp32", images_per_second(p, p->devices, true),
                      efficiency(p, p->devices, true), million, hours * p->watts, hours * p->price);
}

static void draw(const void *study, Plot *plot)
{
    const Predictor *p = study;
    char *title = format_new("%s, %.0f parameters · computing measured here", p->model,
                             p->parameters);
    int columns = p->measured.ranks > 1 ? 3 : 2;
    plot_begin(plot, 1, columns, title);
    free(title);
    if (p->study.missing) {
        study_note_missing(&p->study, plot, columns);
        return;
    }
    draw_speed(p, plot);
    draw_published(plot);
    if (columns > 2)
        draw_ranks(p, plot);
    if (p->ready) {
        char *footer = summary(p);
        plot_footer(plot, footer);
        free(footer);
    }
}

static const PlotKey keys[] = {{"d D", "fewer, more devices"},
                               {"b B", "less, more bandwidth"},
                               {"l L", "less, more latency"},
                               {"i I", "smaller, larger batch"},
                               {"p", "precision: fp32, bf16"},
                               {"space", "pause, resume"},
                               {"s", "save the figure"},
                               {"F11", "full screen"},
                               {"q", "quit"},
                               {NULL, NULL}};

static double clamp(double v, double low, double high) { return fmin(fmax(v, low), high); }

static void on_event(void *study, const PlotEvent *e)
{
    Predictor *p = study;
    if (e->kind != PLOT_KEY)
        return;
    switch (e->key) {
    case 'd': p->devices = (int)clamp(p->devices / 2, 1, MOST_DEVICES); break;
    case 'D': p->devices = (int)clamp(p->devices * 2, 1, MOST_DEVICES); break;
    case 'b': p->gbits = clamp(p->gbits / 2, 1e-3, 1e4); break;
    case 'B': p->gbits = clamp(p->gbits * 2, 1e-3, 1e4); break;
    case 'l': p->latency = clamp(p->latency / 2, 0.01, 1e5); break;
    case 'L': p->latency = clamp(p->latency * 2, 0.01, 1e5); break;
    case 'i': p->batch = (int)clamp(p->batch / 2, 1, 65536); break;
    case 'I': p->batch = (int)clamp(p->batch * 2, 1, 65536); break;
    case 'p': p->half = !p->half; break;
    default: break;
    }
}

static ModelSpec model_of(const Predictor *p, const Lab *lab)
{
    return model_spec_for(p->model, lab->data);
}

static double count_parameters(const Predictor *p, const Lab *lab)
{
    ModelSpec spec = model_of(p, lab);
    Model *m = model_new(lab->be, &spec, 1);
    double parameters = m->params.n;
    model_free(m);
    return parameters;
}

/* An update of one rank, with all of the machine for it: seconds of any, and per image. */
static void measure_alone(const Predictor *p, double *per_update, double *per_image)
{
    const Lab *lab = p->study.lab;
    const Dataset *d = lab->data;
    TargetSetup setup = {.be = lab->be,
                         .data = d,
                         .spec = model_of(p, lab),
                         .momentum = 0.9,
                         .train = d->train.count < 1024 ? d->train.count : 1024,
                         .test = 16};
    double small = INFINITY, large = INFINITY; /* the fastest of three: others may compute, too */
    for (int i = 0; i < 3; i++) {
        small = fmin(small, target_update_time(&setup, 16, 0.3).seconds);
        large = fmin(large, target_update_time(&setup, 128, 0.5).seconds);
    }
    /* A line through both; on a machine too busy for it, through the larger and zero. */
    *per_image = (large - small) / 112;
    if (!(*per_image > 0.5 * large / 128 && *per_image <= large / 128))
        *per_image = large / 128;
    *per_update = large - 128 * *per_image;
}

/* How the ranks train that are measured. */
static TrainingSpec spec_of(const Predictor *p, const PlainPace *pace)
{
    const Dataset *d = p->study.lab->data;
    int images = d->train.count < 8192 ? d->train.count : 8192;
    return (TrainingSpec){.be = p->study.lab->be,
                          .data = d,
                          .model = model_of(p, p->study.lab),
                          .images = images,
                          .test = 16,
                          .batch = pace->batch,
                          .epochs = pace->epochs,
                          .pace = training_plain,
                          .context = pace};
}

static void work(void *study)
{
    Predictor *p = study;
    PlainPace pace = {p->batch < 1024 ? p->batch : 1024, 0.01, 1000};
    TrainingSpec spec = spec_of(p, &pace);
    Measured found = {0};
    double per_update = 0, per_image = 0;
    bool all = measured_ranks(&found, &p->study, &p->commands, &spec);
    if (!all || p->study.lab->comm->rank != 0)
        return;
    measure_alone(p, &per_update, &per_image);
    study_lock(&p->study, true);
    p->measured = found;
    p->update_seconds = per_update;
    p->image_seconds = per_image;
    p->ready = true;
    study_lock(&p->study, false);
}

static void report_ranks(const Predictor *p, Run *run)
{
    const Measured *m = &p->measured;
    if (m->ranks < 2)
        return;
    run_say(run, "fitted to a ring of two ranks: alpha %.3g us, %.3g Gbit/s", 1e6 * m->alpha,
            8e-9 / m->beta);
    run_say(run, "      bytes  all-reduce       fit   error");
    for (int i = 0; i < RING_SIZES; i++) {
        double fit = 2 * m->alpha + m->bytes[i] * m->beta;
        run_say(run, "%11.0f  %7.4g ms  %7.4g ms  %+4.0f %%", m->bytes[i], 1e3 * m->ring[i],
                1e3 * fit, 100 * (fit / m->ring[i] - 1));
        run_metrics(run, "ring,%.0f,%.6g,%.6g", m->bytes[i], m->ring[i], fit);
    }
    run_say(run, "ranks  computing   with the exchange  predicted   error");
    for (int n = 1; n <= m->ranks; n++) {
        double seconds = m->together[n - 1], predicted = ranks_predicted(p, n);
        run_say(run, "%5d  %6.4g ms  %15.4g ms  %6.4g ms  %+5.1f %%", n, 1e3 * m->alone[n - 1],
                1e3 * seconds, 1e3 * predicted, 100 * (predicted / seconds - 1));
        run_metrics(run, "ranks,%d,%.6g,%.6g", n, seconds, predicted);
    }
}

static void report_published(const Predictor *p, Run *run)
{
    run_say(run, "%-32s  measured  predicted   error       kWh    cost", "published");
    for (int i = 0; i < PUBLISHED_ROWS; i++) {
        const Published *row = &published[i];
        double hours = published_predicted(row), all = row->hours * row->devices;
        run_say(run, "%-32s  %6.3g h   %6.3g h  %+5.0f %%  %8.0f  %6.0f", row->what, row->hours,
                hours, 100 * (hours / row->hours - 1), 1e-3 * all * row->watts, all * p->price);
        run_say(run, "    %s", row->reason);
        run_metrics(run, "published %d,%d,%.6g,%.6g", i + 1, row->devices, 3600 * row->hours,
                    3600 * hours);
    }
    run_say(run,
            "kWh: of the measured hours, GPUs alone, at their data sheet's limit; cost: at "
            "%g per device hour (--price)",
            p->price);
}

static void report(const void *study)
{
    const Predictor *p = study;
    Run *run = p->study.lab->run;
    if (!p->ready) {
        run_say(run, "stopped before the measurements finished");
        return;
    }
    run_metrics_header(run, "what,number,measured_or_flat,predicted_or_hierarchical");
    run_say(run, "an update here: %.3g ms + %.3g ms per image", 1e3 * p->update_seconds,
            1e3 * p->image_seconds);
    run_say(run, "devices   images/s: flat  hierarchical");
    for (int n = 1; n <= MOST_DEVICES; n = n == 1024 ? MOST_DEVICES : 2 * n) {
        double flat = images_per_second(p, n, false), rings = images_per_second(p, n, true);
        run_say(run, "%7d  %14.4g  %12.4g", n, flat, rings);
        run_metrics(run, "devices,%d,%.6g,%.6g", n, flat, rings);
    }
    report_ranks(p, run);
    report_published(p, run);
}

static void parse(RunOptions *run, Predictor *p, const char **link, const char **clock,
                  Option *table, int argc, char **argv)
{
    const Option options[] = {
        RUN_OPTIONS(*run),
        LINK_OPTIONS(*link, *clock),
        {"model", ARG_STRING, &p->model, .help = "mlp, cnn, resnet8 …"},
        {"devices", ARG_INT, &p->devices, .min = 1, .max = MOST_DEVICES, .help = "at the start"},
        {"per-node", ARG_INT, &p->per_node, .min = 1, .max = 64, .help = "devices in a machine"},
        {"batch", ARG_INT, &p->batch, .min = 1, .max = 65536, .help = "images per device"},
        {"gbits", ARG_REAL, &p->gbits, .min = 1e-3, .max = 1e4,
         .help = "Gbit/s between machines; inside as fitted here, with one rank ten times as much"},
        {"latency", ARG_REAL, &p->latency, .min = 0.01, .max = 1e5,
         .help = "µs between machines; inside as fitted here, with one rank a tenth"},
        {"overlap", ARG_REAL, &p->overlap, .min = 0, .max = 1,
         .help = "share of the computing that hides the exchange"},
        {"faster", ARG_REAL, &p->faster, .min = 1, .max = 64,
         .help = "speed-up of computing in bf16 over fp32"},
        {"watts", ARG_REAL, &p->watts, .min = 0, .max = 1e5, .help = "per device: your value"},
        {"price", ARG_REAL, &p->price, .min = 0, .max = 1e5, .help = "per device hour: your value"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("8_predict", "Images per second on 1 to 1,536 devices, predicted.", table, argc,
               argv);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* a rank stands for a device */
    static Predictor p;
    p = (Predictor){.study = {.title = "Lab 3 · predict",
                              .png = "predict.png",
                              .work = work,
                              .draw = draw,
                              .report = report,
                              .keys = keys,
                              .event = on_event,
                              .missing = exercise_missing(NULL)},
                    .model = "resnet8",
                    .devices = 64,
                    .per_node = 8,
                    .batch = 32,
                    .gbits = 1,
                    .latency = 20,
                    .overlap = 0.5,
                    .faster = 2,
                    .watts = 300,
                    .price = 2};
    const char *link = NULL, *clock = NULL;
    Option table[MOST_OPTIONS];
    parse(&run, &p, &link, &clock, table, argc, argv);
    stop_on_signals();
    link_choose(link, clock);
    Lab lab = lab_open(comm_open(run.comm), &run);
    p.commands = commands_new(lab.comm, lab.be);
    lab_data_first(&lab, &run, 8192, 16); /* as many as it needs */
    lab_run(&lab, "lab3_predict", &run, table);
    p.parameters = count_parameters(&p, &lab);
    int status = study_run(&p.study, &lab);
    commands_broadcast(&p.commands, (Command){{0}}); /* the others sleep while the window is open */
    commands_free(&p.commands, lab.be);
    lab_close(&lab);
    return status;
}
