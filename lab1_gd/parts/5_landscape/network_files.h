/* network_files.h: a trained network and its path on disk. Private to network*.c. */
#ifndef NETWORK_FILES_H
#define NETWORK_FILES_H
#include "network.h"

/* Keep the model's weights and statistics as the trained ones. */
void network_keep(Network *n);
/* Add a snapshot (copied). */
void network_add(Network *n, const float *w, int at, double loss);
/* Has an earlier run kept a network of this recipe? */
bool network_kept(const Run *run, const Network *n, const Recipe *r, const TrainingContext *t);
void network_save(const Run *run, Network *n, const Recipe *r, const TrainingContext *t);
void network_load(const Run *run, Network *n);
#endif
