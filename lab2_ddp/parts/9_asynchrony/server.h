/* server.h: a parameter server and its workers, in plain MPI, on the virtual clock of link.h: rank
 * 0 keeps the weights, the others compute gradients of their shards. A gradient is charged a fixed
 * time (link_charge), the last worker's `slow` times as much; messages cost what the link says. So
 * a run repeats to the bit, on any machine.
 */
#ifndef SERVER_H
#define SERVER_H
#include "lab.h"
#include "lab2.h"

enum { SERVER_WORKERS = 31, SERVER_STALE = 64 };

typedef struct ServerSpec {
    int wait_for;  /* as in serve_next */
    bool aware;    /* as in apply_stale */
    int gradients; /* to compute and use; in updates of wait_for */
    int batch;
    double rate, momentum;
    double compute, slow; /* seconds of a gradient; the last worker takes `slow` times as long */
    uint64_t seed;
} ServerSpec;

typedef struct ServerResult {
    double seconds, accuracy;
    long used, dropped;
    /* of the gradients used: how many had this staleness (the last: that or more), all and the last
     * worker's */
    long stale[SERVER_STALE], stale_slow[SERVER_STALE];
    double staleness, staleness_slow; /* their means; NAN: the last worker's were never used */
} ServerResult;

typedef struct Server Server;
/* On every rank. images, test: how many are used. */
Server *server_new(const Lab *lab, const char *model, int batch, int images, int test);
void server_free(Server *s);
/* On every rank; the result is rank 0's. */
ServerResult server_run(Server *s, const ServerSpec *spec);
int server_parameters(const Server *s);
#endif
