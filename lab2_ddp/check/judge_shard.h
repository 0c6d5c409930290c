/* judge_shard.h: what the checks of 10c to 10e share: one rank of several, without the others: a
 * unit of known values, and a communicator that knows what the other ranks would send.
 */
#ifndef JUDGE_SHARD_H
#define JUDGE_SHARD_H
#include "lab2.h"

enum { JUDGED_BUFFERS = 16 };

typedef struct ShardJudge {
    Comm comm; /* first */
    Sharded z;
    ShardUnit u;
    char at[64];          /* "stage 2, rank 1 of 3" */
    int reduces, gathers; /* calls so far */
    bool gathered_own;    /* the last one: of exactly u.my_params */
    float *sent;          /* [each]: what the last gather sent */
    const Buffer *live[JUDGED_BUFFERS];
    int buffers; /* of which memory is taken */
} ShardJudge;

enum { JUDGED_EACH = 4, JUDGED_COUNT = 10 };

/* A unit of JUDGED_COUNT elements as it is before the exercise is called, with a gradient; rank of
 * P. */
void judge_open(ShardJudge *j, ZeroStage stage, int P, int rank);
bool judged_live(const ShardJudge *j, const Buffer *buf); /* is its memory still taken? */
float *judged_values(const ShardJudge *j, Tensor t);
/* exercise_value() of elements 0 … n - 1; NAN where it has no memory. */
void judged_note(const ShardJudge *j, const char *name, Tensor t, int n);
/* Of the calls, and of the memory taken since there were `buffers`. */
void judged_note_calls(const ShardJudge *j, int buffers);
#endif
