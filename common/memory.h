/* memory.h: sizes that options and files multiply, refused before anything is allocated. Linux
 * promises more memory than it has: malloc succeeds, and the process is killed when it writes.
 */
#ifndef MEMORY_H
#define MEMORY_H

/* Bytes that this process may use: the smallest of its share of the machine's memory and of its
 * cgroup's limit (v2 or v1), which the ranks on a machine divide among them, and its own limit
 * (ulimit -v, -d). */
double memory_limit(void);
/* The same minus the memory that this process uses now. */
double memory_left(void);
/* Bytes that it may still map, used or not (ulimit -v); infinity: no limit. */
double memory_addresses_left(void);
/* Ends the run (EXIT_USAGE) where `bytes`, computed in double so that nothing overflows, are above
 * memory_left(): "WHAT would take 12.3 GB, and this process may use 8.2 GB more: SMALLER".
 *     memory_require(4.0 * points * points, "a grid of 50000 x 50000", "lower --points"); */
void memory_require(double bytes, const char *what, const char *smaller);
#endif
