/* link.c: parses, prices and selects a link. See link.h. */
#include "link.h"
#include "check.h"
#include "link_inside.h"
#include "number.h"
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Link no_link = {INFINITY, 0};

/* ---- text ---- */

typedef struct Unit {
    const char *name;
    double size;
} Unit;

static const Unit bandwidths[] = {{"bit/s", 1 / 8.},
                                  {"kbit/s", 1e3 / 8},
                                  {"Mbit/s", 1e6 / 8},
                                  {"Gbit/s", 1e9 / 8},
                                  {"Tbit/s", 1e12 / 8},
                                  {"B/s", 1},
                                  {"kB/s", 1e3},
                                  {"MB/s", 1e6},
                                  {"GB/s", 1e9},
                                  {"TB/s", 1e12},
                                  {0}};
/* µ has two code points in Unicode: the micro sign and the Greek letter. */
static const Unit latencies[] = {{"s", 1},     {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6},
                                 {"μs", 1e-6}, {"ns", 1e-9}, {0}};
enum { PART = 48 }; /* bytes of the longest bandwidth or latency, as text */

/* "50us" in seconds; false: bad number or unit. */
static bool quantity(double *value, const char *text, const Unit *units)
{
    size_t digits = strspn(text, "0123456789.+-eE");
    char number[PART];
    double found;
    if (strlen(text) >= PART)
        return false;
    memcpy(number, text, digits);
    number[digits] = 0;
    if (!number_real(&found, number, 0, 1e12))
        return false;
    while (units->name && strcmp(units->name, text + digits))
        units++;
    *value = found * units->size;
    return units->name;
}

/* What a clock that counts nanoseconds can tell from 0 and from infinity. */
static const double SLOWEST = 125, FASTEST = 12.5e12, /* bytes/s: 1 kbit/s, 100 Tbit/s */
    LONGEST = 10;                                     /* seconds */

char *link_parse(Link *link, const char *text)
{
    const char *comma = strchr(text, ',');
    Link found = {0, 0};
    if (!strcmp(text, "none")) {
        *link = no_link;
        return NULL;
    }
    char *first = format_new("%.*s", (int)(comma ? comma - text : (long)strlen(text)), text);
    char *wrong = NULL;
    if (!quantity(&found.bandwidth, first, bandwidths))
        wrong =
            format_new("expected none, or BANDWIDTH,LATENCY as in 1Gbit/s,50us; \"%s\" is not a "
                       "bandwidth: a number and kbit/s, Mbit/s, Gbit/s, kB/s, MB/s or GB/s",
                       first);
    else if (!(found.bandwidth >= SLOWEST && found.bandwidth <= FASTEST))
        wrong = format_new("bandwidth %s: expected 1kbit/s to 100Tbit/s", first);
    else if (comma && !quantity(&found.latency, comma + 1, latencies))
        wrong = format_new("\"%s\" is not a latency: a number and ns, us, ms or s, as in 50us",
                           comma + 1);
    else if (found.latency > LONGEST)
        wrong = format_new("latency %s: expected at most 10s", comma + 1);
    else
        *link = found;
    free(first);
    return wrong;
}

/* The largest of `count` units, in ascending order, that is at most the value. */
static const Unit *unit_for(double value, const Unit *units, int count)
{
    int i = 0;
    while (i + 1 < count && value >= units[i + 1].size * (1 - 1e-9))
        i++;
    return &units[i];
}

void link_text(char *text, size_t room, Link link)
{
    static const Unit rising[] = {{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    const Unit *b = unit_for(link.bandwidth, bandwidths, 5), *l = unit_for(link.latency, rising, 4);
    if (isinf(link.bandwidth))
        snprintf(text, room, "none");
    else if (link.latency == 0)
        snprintf(text, room, "%.4g %s", link.bandwidth / b->size, b->name);
    else
        snprintf(text, room, "%.4g %s, %.4g %s", link.bandwidth / b->size, b->name,
                 link.latency / l->size, l->name);
}

/* ---- the model ---- */

double link_seconds(LinkCollective what, int P, double bytes, Link link)
{
    int rounds = 0; /* ⌈log2 P⌉ */
    while (P > 1 << rounds)
        rounds++;
    double whole = bytes / link.bandwidth, part = whole * (P - 1) / P, a = link.latency;
    switch (what) {
    case LINK_BARRIER: return rounds * a;
    case LINK_BROADCAST: return fmin(rounds * (a + whole), 2 * rounds * a + 2 * part);
    case LINK_ALL_REDUCE: return fmin(rounds * (a + whole), 2 * rounds * a + 2 * part);
    case LINK_REDUCE_SCATTER: return rounds * a + part;
    case LINK_ALL_TO_ALL: return (P - 1) * a + part;
    }
    return 0;
}

/* ---- the choice ---- */

static const char LINK_NAME[] = "LABS_LINK", CLOCK_NAME[] = "LABS_CLOCK";

Link link_read(const char *from, const char *text)
{
    Link link;
    char *wrong = link_parse(&link, text);
    REQUIRE(!wrong, "%s%s: %s", from, text, wrong);
    return link;
}

static bool is_virtual(const char *from, const char *text)
{
    REQUIRE(!strcmp(text, "real") || !strcmp(text, "virtual"), "%s%s: expected real or virtual",
            from, text);
    return !strcmp(text, "virtual");
}

void link_choose(const char *link, const char *clock)
{
    int begun;
    PMPI_Initialized(&begun);
    if (begun)
        die(EXIT_WRONG, "link_choose: MPI was already started: call it before comm_open");
    if (link) {
        link_read("--link ", link);
        setenv(LINK_NAME, link, true);
    }
    if (clock) {
        is_virtual("--clock ", clock);
        setenv(CLOCK_NAME, clock, true);
    }
    link_chosen(&(bool){0}); /* check the environment's values, too */
}

Link link_chosen(bool *virtual)
{
    const char *link = getenv(LINK_NAME), *clock = getenv(CLOCK_NAME);
    *virtual = clock && *clock && is_virtual("LABS_CLOCK=", clock);
    return link && *link ? link_read("LABS_LINK=", link) : no_link;
}
