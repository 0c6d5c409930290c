/* sweep.c: see sweep.h. */
#include "sweep.h"
#include "check.h"
#include "quantiles.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 4096 };

static int count_columns(const char *columns)
{
    int n = 1;
    for (; *columns; columns++)
        n += *columns == ',';
    return n;
}

/* The file's first two lines. */
static char *header_of(const char *columns, const json_t *config)
{
    char *json = json_dumps(config, JSON_COMPACT | JSON_SORT_KEYS), *comma = strchr(columns, ',');
    char *header = format_new("# %s\n%.*s,seed%s\n", json, (int)(comma - columns), columns, comma);
    free(json);
    return header;
}

static void append(Sweep *s, SweepRow row)
{
    if ((s->rows & (s->rows - 1)) == 0) { /* room doubles at 0, 1, 2, 4, … rows */
        SweepRow *more = alloc(s->rows ? 2 * s->rows : 1, sizeof row);
        if (s->rows)
            memcpy(more, s->row, s->rows * sizeof row);
        free(s->row);
        s->row = more;
    }
    s->row[s->rows++] = row;
}

/* "8,1,5120.3,nan" into a row. */
static bool parse_row(SweepRow *row, const char *line, int values)
{
    char *end;
    row->setting = strtod(line, &end);
    if (end == line || *end != ',')
        return false;
    line = end + 1;
    row->seed = strtoll(line, &end, 10);
    for (int v = 0; v < values; v++) {
        if (end == line || *end != ',')
            return false;
        line = end + 1;
        row->value[v] = strtod(line, &end);
    }
    return end != line && *end == '\n';
}

/* Read the file. False: it is another sweep's. Removes a truncated last line. */
static bool read_rows(Sweep *s, FILE *f, const char *header)
{
    char line[LINE], first[LINE] = "", second[LINE] = "";
    if (!fgets(first, LINE, f))
        return true; /* an empty file counts as missing */
    REQUIRE(first[0] == '#', "%s: not a sweep's results: move it away, or use another --out",
            s->path);
    bool whole = fgets(second, LINE, f) != NULL;
    char *both = format_new("%s%s", first, second);
    bool same = whole && !strcmp(both, header);
    free(both);
    long good = ftell(f);
    for (int number = 3; same && fgets(line, LINE, f); number++) {
        SweepRow row = {0};
        if (!strchr(line, '\n'))
            break;
        REQUIRE(parse_row(&row, line, s->values),
                "%s, line %d: not a run's results: repair or remove that line", s->path, number);
        append(s, row);
        good = ftell(f);
    }
    if (same)
        REQUIRE(truncate(s->path, good) == 0, "%s: %s", s->path, strerror(errno));
    return same;
}

static void write_text(const char *path, const char *mode, const char *text)
{
    FILE *f = fopen(path, mode);
    bool good = f && fputs(text, f) >= 0 && fflush(f) == 0 && fsync(fileno(f)) == 0;
    REQUIRE(good && fclose(f) == 0, "%s: cannot be written: %s", path, strerror(errno));
}

Sweep *sweep_open(const char *path, const char *columns, const json_t *config)
{
    Sweep *s = alloc(1, sizeof *s);
    *s = (Sweep){.path = format_new("%s", path), .values = count_columns(columns) - 1};
    ASSERT(s->values >= 1 && s->values <= SWEEP_VALUES);
    char *header = header_of(columns, config);
    FILE *f = fopen(path, "r");
    REQUIRE(f || errno == ENOENT, "%s: %s", path, strerror(errno));
    bool same = f && read_rows(s, f, header);
    if (f)
        fclose(f);
    if (f && !same) {
        char *old = format_new("%s.old", path);
        REQUIRE(rename(path, old) == 0, "%s: %s", path, strerror(errno));
        free(old);
    }
    if (!same || s->rows == 0) /* nothing there yet */
        write_text(path, "w", header);
    free(header);
    return s;
}

void sweep_free(Sweep *s)
{
    free(s->path);
    free(s->row);
    free(s);
}

const SweepRow *sweep_find(const Sweep *s, double setting, int64_t seed)
{
    for (int i = 0; i < s->rows; i++)
        if (s->row[i].setting == setting && s->row[i].seed == seed)
            return &s->row[i];
    return NULL;
}

int sweep_missing(SweepItem *item, const Sweep *s, Comm *c, int count)
{
    int n = 0;
    for (int i = 0; i < count && c->rank == 0; i++)
        if (!sweep_find(s, item[i].setting, item[i].seed))
            item[n++] = item[i];
    comm_broadcast_host(c, &n, sizeof n, 0);
    comm_broadcast_host(c, item, n * sizeof *item, 0);
    return n;
}

void sweep_add(Sweep *s, double setting, int64_t seed, const double *values)
{
    SweepRow row = {.setting = setting, .seed = seed};
    char line[LINE];
    int used = snprintf(line, LINE, "%.17g,%lld", setting, (long long)seed);
    for (int v = 0; v < s->values; v++) {
        row.value[v] = values[v];
        used += snprintf(line + used, LINE - used, ",%.9g", values[v]);
    }
    snprintf(line + used, LINE - used, "\n");
    write_text(s->path, "a", line);
    append(s, row);
}

SweepSpread sweep_spread(const Sweep *s, double setting, int value)
{
    SweepSpread spread = {.median = NAN, .low = NAN, .high = NAN};
    double *found = alloc(s->rows + 1, sizeof *found);
    for (int i = 0; i < s->rows; i++)
        if (s->row[i].setting == setting) {
            if (isnan(s->row[i].value[value]))
                spread.missed++;
            else
                found[spread.runs++] = s->row[i].value[value];
        }
    int n = spread.runs;
    sort_ascending(found, n);
    if (n) {
        spread.median = (found[(n - 1) / 2] + found[n / 2]) / 2;
        spread.low = found[0];
        spread.high = found[n - 1];
    }
    free(found);
    return spread;
}
