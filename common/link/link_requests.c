/* link_requests.c: waits for requests in flight on the link, and tests of them. See
 * link_calls.h.
 *
 * MPI completes a request when the data are here; the program may see it complete when they are
 * due. So a test asks MPI without completing the request, which stays active until it is due.
 */
#include "check.h"
#include "link_inside.h"
#include <math.h>
#include <sched.h>
#include <stdlib.h>

/* MPI has completed p (NULL: not the link's); removes the stamp from *status. False: `due` is not
 * known yet. */
static bool known_due(Pending *p, MPI_Status *status, bool wait)
{
    if (!p || p->kind == PENDING_SEND)
        return true;
    if (p->kind == PENDING_COLLECTIVE)
        return pending_known(p, wait);
    if (p->known)
        stamp_off(status);
    else
        p->due = message_due(p->stamp, p->comm, status);
    return p->known = true;
}

/* ---- waits and tests ---- */

typedef struct Waited {
    Pending *p; /* NULL: not the link's */
    MPI_Status status;
} Waited;

static Waited *waited_new(int n, const MPI_Request *requests)
{
    Waited *w = alloc((unsigned long)n, sizeof *w);
    for (int i = 0; i < n; i++) {
        w[i].p = pending_of(requests[i]);
        if (w[i].p)
            w[i].p->waited_for = true;
    }
    return w;
}

static void waited_free(Waited *w, int n)
{
    for (int i = 0; i < n; i++)
        if (w[i].p)
            w[i].p->waited_for = false;
    free(w);
}

/* On the virtual clock a rank sleeps while it waits, so that ranks that compute get the cores:
 * MPI_Wait only yields. */
static void sleep_until_here(int n, MPI_Request *requests)
{
    for (int i = 0; link_virtual() && i < n; i++) {
        int here = false;
        for (int looks = 0; !here; looks++) {
            PMPI_Request_get_status(requests[i], &here, MPI_STATUS_IGNORE);
            if (!here)
                poll_wait(looks);
        }
    }
}

static int empty_tests; /* tests in a row that found nothing because of another rank */

/* Completes all of them in MPI; returns when the last is due. */
static int complete(int n, MPI_Request *requests, Waited *w, MPI_Status *statuses, double *due)
{
    empty_tests = 0;
    MPI_Status *got = alloc((unsigned long)n, sizeof *got);
    sleep_until_here(n, requests);
    int error = n == 1 ? PMPI_Wait(requests, got) : PMPI_Waitall(n, requests, got);
    *due = 0;
    for (int i = 0; i < n; i++) {
        if (w[i].p && error == MPI_SUCCESS) {
            known_due(w[i].p, &got[i], true);
            *due = fmax(*due, w[i].p->due);
        }
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[i] = got[i];
    }
    for (int i = 0; i < n; i++)
        if (w[i].p && requests[i] == MPI_REQUEST_NULL) {
            pending_end(w[i].p);
            w[i].p = NULL;
        }
    free(got);
    return error;
}

int link_wait(int n, MPI_Request *requests, MPI_Status *statuses)
{
    double due;
    if (!link_on() || n < 1)
        return n == 1 ? PMPI_Wait(requests, statuses) : PMPI_Waitall(n, requests, statuses);
    clock_enter();
    Waited *w = waited_new(n, requests);
    int error = complete(n, requests, w, statuses, &due);
    waited_free(w, n);
    clock_leave(due);
    return error;
}

/* When request i is due; INFINITY: not known yet. */
static double due_of(MPI_Request request, Waited *w)
{
    int here;
    PMPI_Request_get_status(request, &here, &w->status);
    if (!here || !known_due(w->p, &w->status, false))
        return INFINITY;
    return w->p ? w->p->due : 0;
}

/* Ends a test that finds nothing. If it depends on another rank, the virtual clock stops, and that
 * rank gets the core: a loop of tests, whose own steps take time, must not go round thousands of
 * times meanwhile. If it depends on the link, the test takes time, so that a loop of tests ends. */
static void not_yet(double due)
{
    if (isfinite(due)) {
        clock_resume();
        return;
    }
    if (link_virtual())
        poll_wait(empty_tests++);
    clock_leave(0);
}

int link_test(int n, MPI_Request *requests, int *done, MPI_Status *statuses)
{
    if (!link_on() || n < 1)
        return n == 1 ? PMPI_Test(requests, done, statuses)
                      : PMPI_Testall(n, requests, done, statuses);
    double now = clock_enter(), due = 0;
    int error = MPI_SUCCESS;
    Waited *w = waited_new(n, requests);
    for (int i = 0; i < n; i++)
        due = fmax(due, due_of(requests[i], &w[i]));
    *done = due <= now;
    if (*done)
        error = complete(n, requests, w, statuses, &due);
    waited_free(w, n);
    if (*done)
        clock_leave(0);
    else
        not_yet(due);
    return error;
}

int link_request_status(MPI_Request request, int *done, MPI_Status *status)
{
    if (!link_on())
        return PMPI_Request_get_status(request, done, status);
    Waited w = {.p = pending_of(request)};
    double now = clock_enter(), due = due_of(request, &w);
    *done = due <= now;
    if (*done && status != MPI_STATUS_IGNORE)
        *status = w.status;
    if (*done)
        clock_leave(0);
    else
        not_yet(due);
    return MPI_SUCCESS;
}

/* The request that is due first, and when (INFINITY: unknown for all). -1: none is active. */
static int first_due(int n, const MPI_Request *requests, double *due)
{
    int first = -1;
    *due = INFINITY;
    for (int i = 0; i < n; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        double one = due_of(requests[i], &(Waited){.p = pending_of(requests[i])});
        if (first < 0 || one < *due) {
            first = i;
            *due = one;
        }
    }
    return first;
}

/* Completes request i, whose data are here. */
static int complete_one(MPI_Request *request, MPI_Status *status, double *due)
{
    Waited w = {.p = pending_of(*request)};
    return complete(1, request, &w, status, due);
}

int link_wait_any(int n, MPI_Request *requests, int *index, MPI_Status *status)
{
    double due;
    int first;
    if (!link_on())
        return PMPI_Waitany(n, requests, index, status);
    clock_enter();
    while ((first = first_due(n, requests, &due)) >= 0 && isinf(due))
        sched_yield();
    int error = first < 0 ? PMPI_Waitany(n, requests, index, status)
                          : complete_one(&requests[first], status, &due);
    *index = first < 0 ? MPI_UNDEFINED : first;
    clock_leave(first < 0 ? 0 : due);
    return error;
}

int link_test_any(int n, MPI_Request *requests, int *index, int *done, MPI_Status *status)
{
    double due;
    if (!link_on())
        return PMPI_Testany(n, requests, index, done, status);
    double now = clock_enter();
    int first = first_due(n, requests, &due), error = MPI_SUCCESS;
    *index = MPI_UNDEFINED;
    *done = first < 0 || due <= now;
    if (first >= 0 && !*done) {
        not_yet(due);
        return error;
    }
    if (first >= 0) {
        *index = first;
        error = complete_one(&requests[first], status, &due);
    } else
        error = PMPI_Testany(n, requests, index, done, status);
    clock_leave(0);
    return error;
}

int link_wait_some(int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses)
{
    if (!link_on())
        return PMPI_Waitsome(n, requests, found, indices, statuses);
    int error = link_wait_any(n, requests, indices, statuses);
    *found = *indices == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
    return error;
}

int link_test_some(int n, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses)
{
    int done;
    if (!link_on())
        return PMPI_Testsome(n, requests, found, indices, statuses);
    int error = link_test_any(n, requests, indices, &done, statuses);
    *found = !done ? 0 : *indices == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
    return error;
}

/* MPI may still read or write its stamp: keep the memory. */
int link_request_free(MPI_Request *request)
{
    Pending *p = pending_of(*request);
    if (p)
        pending_unlink(p);
    return PMPI_Request_free(request);
}
