/* audit.h: what a run really did, for self-checks and the grader. Off unless the environment
 * variable LABS_AUDIT names a folder.
 *
 * A self-check must not believe what a program prints. With LABS_AUDIT=DIR each process appends to
 * DIR/rank-R.jsonl, one JSON object per line: {"fact": NAME, ...}.
 *
 *   fact                                members
 *   "comm"                              rank, size
 *   "backend"                           device, local_rank, local_size, cores
 *   "batch"                             epoch, first, images (indices in the data set)
 *   "all_reduce", "broadcast" …,
 *     "all_reduce_host"                 count, dtype
 *   "broadcast_host", "gather_host"     bytes
 *   "barrier"
 *   "update"                            step, rate, before, after (the first 16 digits of the
 *                                       parameters' SHA-256)
 *   "evaluate"                          first, count, correct
 *   "checkpoint", "resume"              path, step
 *   "to_do"                             step (of lab 2 that is still a TODO)
 */
#ifndef AUDIT_H
#define AUDIT_H
/* Becomes an observer (observer.h), if LABS_AUDIT is set: called before main, and in tests. */
void audit_begin(void) __attribute__((constructor));
#endif
