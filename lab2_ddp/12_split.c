/* 12_split.c: a transformer's layers on several ranks: the MLP cut by weights (tensor parallelism),
 * and by positions, too (sequence parallelism), and attention cut by positions (ring attention,
 * context parallelism). Each gives one rank's result; the figure shows what it costs, and which cut
 * is fastest where. Exercises: exercises/12a_mlp_forward.c to 12e_split_seconds.c.
 */
#include "check.h"
#include "parts/12_split/split_study.h"
#include <math.h>

static void parse(RunOptions *run, SplitStudy *s, const char **link, Option *table, int argc,
                  char **argv)
{
    const Option options[] = {{"link", ARG_STRING, link,
                               .help = "the network, on the virtual clock: BANDWIDTH,LATENCY"},
                              {"positions", ARG_INT, &s->positions, .min = 8, .max = 4096,
                               .help = "positions of the sequence, a multiple of the ranks"},
                              {"width", ARG_INT, &s->width, .min = 8, .max = 2048,
                               .help = "width of the transformer's layer, a multiple of the ranks"},
                              {"out", ARG_STRING, &run->out, .help = "folder for results"},
                              {0}};
    OPTIONS_KEEP(table, options);
    args_parse("12_split", "Tensor, sequence and context parallelism.", table, argc, argv);
}

int main(int argc, char **argv)
{
    RunOptions run = run_options_default();
    run.threads = 1; /* a rank stands for a machine; the virtual clock is one thread's */
    run.device = "cpu";
    const char *link = "10Gbit/s,20us";
    static SplitStudy s;
    s = (SplitStudy){.study = {.title = "Lab 2 · split",
                               .png = "split.png",
                               .missing = exercise_missing(NULL),
                               .work = split_work,
                               .draw = split_draw,
                               .report = split_report},
                     .positions = 512,
                     .width = 256};
    Option table[MOST_OPTIONS];
    parse(&run, &s, &link, table, argc, argv);
    stop_on_signals();
    s.link = link_read("--link=", link);
    REQUIRE(isfinite(s.link.bandwidth), "--link=%s: this part needs a link", link);
    link_choose("none", "virtual"); /* no link between the measurements */
    Comm *comm = comm_open("mpi");
    int most = comm->size < 8 ? comm->size : 8;
    REQUIRE((most & (most - 1)) == 0, "%d ranks: expected 1, 2, 4, or 8 and more (NP=8)", most);
    REQUIRE(s.positions % most == 0 && s.width % most == 0,
            "--positions=%d, --width=%d: on %d ranks give multiples of %d", s.positions, s.width,
            most, most);
    Lab lab = lab_open(comm, &run);
    lab_run(&lab, "lab2_split", &run, table);
    split_open(&s, MPI_COMM_WORLD);
    int status = study_run(&s.study, &lab);
    split_close(&s);
    lab_close(&lab);
    return status;
}
