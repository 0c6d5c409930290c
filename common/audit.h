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
#include <jansson.h>
#include <stdbool.h>

bool audit_on(void);
/* Write one fact; members as for jansson's json_pack, without the braces:
 *     audit_fact("comm", "s:i, s:i", "rank", rank, "size", size);
 * Does nothing when the audit is off. */
void audit_fact(const char *fact, const char *format, ...);
#endif
