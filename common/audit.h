/* audit.h: what a run really did, for those who check it. Off unless the environment's LABS_AUDIT
 * names a folder.
 *
 * A self-check must not believe what a program prints. With LABS_AUDIT=DIR the library appends, per
 * process, to DIR/rank-R.jsonl: one JSON object a line, {"fact": NAME, ...}. Facts: "comm" (rank,
 * size), "backend" (device, local_rank, local_size, cores), "batch" (epoch, first, images: the
 * indices in the data set), "all_reduce" | "broadcast" | … | "all_reduce_host" (count, dtype),
 * "broadcast_host" | "gather_host" (bytes), "barrier", "update" (step, rate, before, after: the
 * first 16 digits of the parameters' SHA-256), "evaluate" (first, count, correct), "checkpoint"
 * (path, step), "resume" (path, step).
 */
#ifndef AUDIT_H
#define AUDIT_H
#include <jansson.h>
#include <stdbool.h>

bool audit_on(void);
/* Write one fact; members as for jansson's json_pack, without the braces:
 *     audit_fact("comm", "s:i, s:i", "rank", rank, "size", size);   Does nothing when the audit is
 *     off. */
void audit_fact(const char *fact, const char *format, ...);
#endif
