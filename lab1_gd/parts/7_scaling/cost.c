/* cost.c: the cost calculator and its example.
 *
 * The example's published results only say how long 104 TB take on one Pascal GPU, and that a
 * DGX-1V is as fast as 20 of them (eight V100, each 2.5 Pascals). How that time comes about is our
 * assumption: 100 kB per image, 40 epochs, 4.967 TFLOP/s sustained (145 images/s of InceptionV3).
 * Other triples with the same quotient give the same table. The networks are not assumed: 5.713
 * billion multiply-adds for InceptionV3 (torchvision), 0.7244 for AlexNet (its layers counted, with
 * groups); their quotient, 7.89, is that of the table. */
#include "cost.h"
#include "check.h"
#include "lab1.h"
#include <math.h>
#include <stdlib.h>

enum { NETWORKS = 2, FLEETS = 2, MACHINES = 3 };
static const char *const network_names[NETWORKS] = {"InceptionV3", "AlexNet"};
static const double network_gflop[NETWORKS] = {2 * 5.713, 2 * 0.7244};
static const struct {
    const char *name;
    double devices;
    bool years;
} machines[MACHINES] = {{"one Pascal GPU", 1, true},
                        {"one DGX-1V", 20, false},
                        {"ten DGX-1V", 200, false}};
static const double published[NETWORKS][MACHINES][FLEETS] = {{{9.1, 42.6}, {166, 778}, {16, 77}},
                                                             {{1.1, 5.4}, {21, 98}, {2.1, 9.8}}};

Cost cost_default(void)
{
    return (Cost){.cars = 100,
                  .tb_per_hour = 1,
                  .days = 260,
                  .hours = 8,
                  .fraction = 0.0005,
                  .example_kb = 100,
                  .epochs = 40,
                  .gflop = 2 * 5.713,
                  .tflops = 4.967,
                  .devices = 1};
}

static Cost example(int network, int fleet, double devices)
{
    Cost c = cost_default();
    if (fleet == 1) {
        c.cars = 125;
        c.tb_per_hour = 1.5;
        c.days = 325;
        c.hours = 10;
        c.fraction = 0.0008;
    }
    c.gflop = network_gflop[network];
    c.devices = devices;
    return c;
}

static double terabytes(const Cost *c)
{
    return c->cars * c->tb_per_hour * c->hours * c->days * c->fraction;
}

static double days_of(const Cost *c)
{
    return training_days(terabytes(c) * 1e12 / (c->example_kb * 1e3), c->epochs, 3e9 * c->gflop,
                         1e12 * c->tflops, c->devices);
}

/* One line: ours, theirs, the difference, and whether theirs is ours, truncated or rounded. */
static void compare(Run *run, const char *what, double ours, double theirs, const char *unit)
{
    double digits = theirs == floor(theirs) && theirs >= 10 ? 1 : 10, tolerance = 1e-9;
    bool truncated = fabs(floor(ours * digits + tolerance) / digits - theirs) < tolerance,
         rounded = fabs(round(ours * digits) / digits - theirs) < tolerance;
    char *published_now = format_new("%.*f %s", digits == 10 ? 1 : 0, theirs, unit);
    run_say(run, "%-44s %10.3f %14s %+8.1f %%   %s", what, ours, published_now,
            100 * (ours / theirs - 1),
            truncated && rounded ? "equal"
            : truncated          ? "equal, truncated"
            : rounded            ? "equal, rounded"
                                 : "NOT reproduced: a round number");
    free(published_now);
}

static void example_table(Run *run)
{
    for (int fleet = 0; fleet < FLEETS; fleet++) {
        Cost c = example(0, fleet, 1);
        char *what = format_new("%g cars x %g TB/h x %g d x %g h x %g", c.cars, c.tb_per_hour,
                                c.days, c.hours, c.fraction);
        compare(run, what, terabytes(&c), fleet ? 487.5 : 104, "TB");
        free(what);
    }
    for (int network = 0; network < NETWORKS; network++)
        for (int machine = 0; machine < MACHINES; machine++)
            for (int fleet = 0; fleet < FLEETS; fleet++) {
                Cost c = example(network, fleet, machines[machine].devices);
                char *what = format_new("%s, %.5g TB, %s", network_names[network], terabytes(&c),
                                        machines[machine].name);
                compare(run, what, days_of(&c) / (machines[machine].years ? 365 : 1),
                        published[network][machine][fleet],
                        machines[machine].years ? "years" : "days");
                free(what);
            }
    compare(run, "10 GPU-days on 1,024 GPUs", 1440 * training_days(10 * 86400.0, 1, 1, 1, 1024), 14,
            "minutes");
    compare(run, "1,000 PF/s-days at 32 PF/s", training_days(1000 * 86400.0, 1, 1e15, 1e15, 32), 30,
            "days");
}

void cost_table(const Cost *c, Run *run)
{
    run_say(
        run,
        "the automotive example                             computed      published      error");
    example_table(run);
    run_say(run, "assumed: 100 kB per image, 40 epochs, 4.967 TFLOP/s per Pascal GPU; a DGX-1V = "
                 "20 Pascals, no loss in scaling");
    run_say(run,
            "your project: %g TB, %.3g examples × %g epochs × %.4g GFLOP (3 × the forward pass) on "
            "%g × %g TFLOP/s: %.4g days",
            terabytes(c), terabytes(c) * 1e9 / c->example_kb, c->epochs, 3 * c->gflop, c->devices,
            c->tflops, days_of(c));
}

void cost_draw(const Cost *c, PlotPanel *panel)
{
    for (int network = 0; network < NETWORKS; network++)
        for (int fleet = 0; fleet < FLEETS; fleet++) {
            double devices[] = {1, 1024}, days[2], points[MACHINES], reference[MACHINES];
            for (int i = 0; i < 2; i++) {
                Cost e = example(network, fleet, devices[i]);
                days[i] = days_of(&e);
            }
            for (int m = 0; m < MACHINES; m++) {
                points[m] = machines[m].devices;
                reference[m] = published[network][m][fleet] * (machines[m].years ? 365 : 1);
            }
            uint32_t color = network ? PLOT_GREY : PLOT_INK;
            char *label = format_new("%s, %s", network_names[network],
                                     fleet ? "487.5 TB" : "104 TB");
            plot_text(panel, 1100, days[1] * (network ? 0.75 : 1.3), label,
                      (PlotStyle){.color = color, .size = 11});
            plot_line(panel, 2, devices, days, (PlotStyle){.color = color, .dashed = fleet == 0});
            plot_scatter(panel, MACHINES, points, reference,
                         (PlotStyle){.label = network == 1 && fleet == 1 ? "published" : NULL,
                                     .color = PLOT_INK,
                                     .size = 7});
            free(label);
        }
    plot_scatter(panel, 1, &c->devices, &(double){days_of(c)},
                 (PlotStyle){.label = "your project",
                             .color = plot_series(3),
                             .shape = PLOT_STAR,
                             .size = 13});
}
