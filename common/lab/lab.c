/* lab.c: see lab.h. */
#include "lab.h"
#include "json_text.h"

Lab lab_open(Comm *comm, const RunOptions *o)
{
    Lab lab = {.comm = comm};
    lab.be = backend_open(o->device, comm->local_rank, comm->local_size, o->threads);
    backend_precision(lab.be, o->precision);
    return lab;
}

void lab_data(Lab *lab, const RunOptions *o, Commands *commands)
{
    if (commands && lab->comm->rank != 0)
        commands_broadcast(commands, (Command){{0}});
    lab_data_first(lab, o, 0, 0);
}

void lab_data_first(Lab *lab, const RunOptions *o, int train, int test)
{
    lab->data = dataset_open_first(o->data, "fashion,synthetic", o->data_dir, train, test);
}

void lab_run(Lab *lab, const char *program, const RunOptions *o, const Option *options)
{
    const char *data = lab->data ? lab->data->description : "none is read";
    json_t *facts = json_pack("{s:o, s:s, s:i}", "data", json_text(data), "device",
                              lab->be->description, "ranks", lab->comm->size);
    lab->run = run_open(program, o, options, facts, lab->comm->rank == 0);
}

void lab_close(Lab *lab)
{
    run_close(lab->run);
    dataset_free(lab->data);
    backend_close(lab->be);
    comm_close(lab->comm);
    *lab = (Lab){0};
}
