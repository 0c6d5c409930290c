/* predictor_view.c: the predictions, as a figure and as tables. */
#include "predictor.h"
#include <math.h>

enum { SIZES = 60 };

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
    PlotPanel *panel = plot_cell(plot, 0, 0, "Efficiency", plot_log("devices", 10, 0, 0),
                                 plot_axis("images/s per device, % of one", 0, 105));
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
    PlotPanel *panel = plot_cell(plot, 0, 1, "Published trainings",
                                 plot_log("measured (hours)", 10, 0, 0),
                                 plot_log("predicted (hours)", 10, 0.07, 300));
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
    PlotPanel *panel = plot_cell(plot, 0, 2, "Ranks of this machine",
                                 plot_axis("ranks", 0.5, m->ranks + 0.5),
                                 plot_axis("ms per update", 0, 1.1 * most));
    plot_line(panel, m->ranks, ranks, predicted,
              (PlotStyle){.color = plot_series(1), .label = "predicted"});
    plot_scatter(panel, m->ranks, ranks, measured,
                 (PlotStyle){.color = plot_series(0), .size = 9, .label = "measured"});
}

static void draw_summary(const Predictor *p, Plot *plot)
{
    Cluster c = cluster_of(p, p->devices, true);
    double step = step_seconds(&c), million = 1e6 / (p->devices * p->batch) * step;
    double hours = p->devices * million / 3600;
    plot_footer(plot,
                "%d devices, %d per machine · %.3g Gbit/s, %.3g µs · batch %d each, %s · %.4g "
                "images/s, efficiency %.0f %% · a million images: %.3g s, %.3g Wh, cost %.3g",
                p->devices, p->per_node, p->gbits, p->latency, p->batch, p->half ? "bf16" : "fp32",
                images_per_second(p, p->devices, true), efficiency(p, p->devices, true), million,
                hours * p->watts, hours * p->price);
}

void predictor_draw(const void *study, Plot *plot)
{
    const Predictor *p = study;
    int columns = p->measured.ranks > 1 ? 3 : 2;
    if (!study_begin(&p->study, plot, 1, columns, "%s, %.0f parameters · computing measured here",
                     p->model, p->parameters))
        return;
    draw_speed(p, plot);
    draw_published(plot);
    if (columns > 2)
        draw_ranks(p, plot);
    if (p->ready)
        draw_summary(p, plot);
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

void predictor_report(const void *study)
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
