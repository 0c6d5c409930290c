/* 7i_pays_below.c: exercise: the bandwidth below which a remedy pays. */
#include "check.h"
#include "lab2.h"

/* On a link of bandwidth b (bytes/s), reaching a target accuracy takes a training
 *
 *     updates * (seconds + bytes / b)
 *
 * where `seconds` are those of computing, compressing and latencies, and `bytes` those that pass
 * through the link (Cost, in remedy.h). A remedy has fewer bytes, more seconds, and often more
 * updates than the plain exchange.
 *
 * Return the bandwidth b below which the remedy takes less time than the plain exchange. INFINITY:
 * at every bandwidth. 0: at none; also if its training sends at least the plain one's bytes, or
 * never reaches the target (remedy.updates is INFINITY). plain.updates is finite. Compare whole
 * trainings, not single updates. */
double pays_below(Cost plain, Cost remedy)
{
    TODO("solve plain's time = remedy's time for b; which bytes, and whose seconds, are more?");
}
