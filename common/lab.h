/* lab.h: what every program that trains a network opens first and closes last: its ranks, device,
 * data set and run.
 *
 *     Lab lab = lab_open(comm_open(options.comm), &options);
 *     lab_data(&lab, &options, NULL);
 *     lab_run(&lab, "lab1_batch_size", &options, table);
 *     … train …
 *     lab_close(&lab);
 *
 * Between these calls a program checks whether the world size, precision and data suit it.
 */
#ifndef LAB_H
#define LAB_H
#include "backend.h"
#include "comm.h"
#include "command.h"
#include "data.h"
#include "run.h"

typedef struct Lab {
    Comm *comm;
    Backend *be;
    Dataset *data;
    Run *run;
} Lab;

/* The device, with the precision of the options. Owns comm from now on. */
Lab lab_open(Comm *comm, const RunOptions *o);
/* The data set; "auto" is Fashion-MNIST where it is installed, else synthetic. With `commands`
 * (not NULL) the other ranks first sleep until rank 0 broadcasts a command, which they ignore: rank
 * 0 opens its window meanwhile, and ranks may share cores. */
void lab_data(Lab *lab, const RunOptions *o, Commands *commands);
/* At most the first `train` and `test` images of it; 0: all. */
void lab_data_first(Lab *lab, const RunOptions *o, int train, int test);
/* The run's folder and its config.json, with data, device and world size. */
void lab_run(Lab *lab, const char *program, const RunOptions *o, const Option *options);
/* Closes all of it. First free everything made on the device. Collective. */
void lab_close(Lab *lab);
#endif
