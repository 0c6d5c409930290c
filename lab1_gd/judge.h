/* judge.h: the judges of lab 1's exercises: each calls one exercise and ends its process with what it found wrong
 * (exercise.h runs it in a child). Plain C on small arrays: no device, no ranks.
 */
#ifndef JUDGE_H
#define JUDGE_H
#include "check.h"

#define WRONG_UNLESS(condition, ...) do { if (!(condition)) die(EXIT_WRONG, __VA_ARGS__); } while (0)

/* check_descent.c: part 1 */
void judge_gradient(void *unused);
void judge_update(void *unused);
void judge_converged(void *unused);

/* check_sgd.c: parts 2 and 3 */
void judge_shuffle(void *unused);
void judge_minibatch_epoch(void *unused);

/* check_landscape.c: part 5 */
void judge_filter_normalize(void *unused);

/* check_live.c: part 6 */
void judge_plane_coordinates(void *unused);

/* check_parallel.c: parts 8 and 9 */
void judge_busy(void *unused);
void judge_pipeline_turn(void *unused);
void judge_column_shard(void *unused);
/* check_scale.c: parts 4 and 7 */
void judge_time_per_update(void *unused);
void judge_needed_examples(void *unused);
void judge_training_days(void *unused);
#endif
