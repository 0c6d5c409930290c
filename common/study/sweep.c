/* sweep.c: see sweep.h. */
#include "sweep.h"
#include "check.h"
#include "file.h"
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
    ASSERT(json);
    char *header = format_new("# %s\n%.*s,seed%s\n", json, (int)(comma - columns), columns, comma);
    free(json);
    return header;
}

static void append(Sweep *s, SweepRow row)
{
    s->row = grown(s->row, s->rows, sizeof row);
    s->row[s->rows++] = row;
}

/* ---- reading: nothing but what sweep_add() wrote ---- */

static void print_row(char line[LINE], const SweepRow *row, int values)
{
    int used = snprintf(line, LINE, "%.17g,%lld", row->setting, (long long)row->seed);
    for (int v = 0; v < values; v++)
        used += snprintf(line + used, LINE - used, ",%.9g", row->value[v]);
    snprintf(line + used, LINE - used, "\n");
}

/* "8,1,5120.3,nan\n", `length` bytes, into a row. Printed again, it must be the same bytes: this
 * rejects blanks, signs or other characters that strtod would skip or read differently. */
static bool parse_row(SweepRow *row, const char *text, size_t length, int values)
{
    char line[LINE], again[LINE], *end = line;
    if (length >= LINE)
        return false;
    memcpy(line, text, length);
    line[length] = 0;
    row->setting = strtod(line, &end);
    row->seed = *end == ',' ? strtoll(end + 1, &end, 10) : -1;
    for (int v = 0; v < values; v++)
        row->value[v] = *end == ',' ? strtod(end + 1, &end) : 0;
    print_row(again, row, values);
    return isfinite(row->setting) && row->seed >= 0 && strlen(again) == length &&
           !memcmp(again, line, length);
}

static int by_run(const void *a, const void *b)
{
    const SweepRow *x = *(const SweepRow *const *)a, *y = *(const SweepRow *const *)b;
    int order = (x->setting > y->setting) - (x->setting < y->setting);
    return order ? order : (x->seed > y->seed) - (x->seed < y->seed);
}

enum { HEADER = 2 }; /* lines; row i is line HEADER + 1 + i */

int sweep_line(const Sweep *s, const SweepRow *row) { return HEADER + 1 + (int)(row - s->row); }

/* What is wrong if a run is there twice; NULL: none is. */
static char *find_twice(const Sweep *s)
{
    const SweepRow **sorted = alloc((size_t)s->rows + 1, sizeof *sorted);
    char *wrong = NULL;
    for (int i = 0; i < s->rows; i++)
        sorted[i] = &s->row[i];
    qsort(sorted, (size_t)s->rows, sizeof *sorted, by_run);
    for (int i = 1; i < s->rows && !wrong; i++)
        if (by_run(&sorted[i - 1], &sorted[i]) == 0) {
            int one = sweep_line(s, sorted[i - 1]), two = sweep_line(s, sorted[i]);
            wrong = format_new("lines %d and %d: the same run twice: remove one of them",
                               one < two ? one : two, one < two ? two : one);
        }
    free(sorted);
    return wrong;
}

char *sweep_parse(Sweep *s, size_t *good, const char *bytes, size_t size, const char *header)
{
    size_t length = strlen(header);
    *good = 0;
    if (size > 0 && bytes[0] != '#')
        return format_new("not a sweep's results: move it away, or use another --out");
    if (size < length || memcmp(bytes, header, length) != 0)
        return NULL;
    *good = length;
    for (const char *end; (end = memchr(bytes + *good, '\n', size - *good));) {
        SweepRow row = {0};
        const char *line = bytes + *good;
        if (!parse_row(&row, line, (size_t)(end + 1 - line), s->values))
            return format_new("line %d: not a run's results: repair or remove that line",
                              HEADER + 1 + s->rows);
        append(s, row);
        *good = (size_t)(end + 1 - bytes);
    }
    return find_twice(s);
}

/* ---- the file ---- */

static const size_t MOST_BYTES = (size_t)1 << 30;

/* Its rows; false: the file is missing, empty or another sweep's. An incomplete last
 * line is removed. */
static bool read_rows(Sweep *s, const char *header)
{
    char *bytes, *wrong;
    size_t size, good;
    if (access(s->path, F_OK) && errno == ENOENT)
        return false;
    wrong = file_read(&bytes, &size, s->path, MOST_BYTES);
    REQUIRE(!wrong, "%s", wrong);
    wrong = sweep_parse(s, &good, bytes, size, header);
    REQUIRE(!wrong, "%s: %s", s->path, wrong);
    free(bytes);
    if (size > 0 && good == 0) {
        char *old = format_new("%s.old", s->path);
        REQUIRE(rename(s->path, old) == 0, "%s: cannot be renamed to %s: %s", s->path, old,
                strerror(errno));
        free(old);
    }
    REQUIRE(good == 0 || good == size || truncate(s->path, (off_t)good) == 0,
            "%s: cannot be written: %s", s->path, strerror(errno));
    return good > 0;
}

Sweep *sweep_open(const char *path, const char *columns, const json_t *config)
{
    Sweep *s = alloc(1, sizeof *s);
    *s = (Sweep){.path = format_new("%s", path), .values = count_columns(columns) - 1};
    ASSERT(s->values >= 1 && s->values <= SWEEP_VALUES);
    char *header = header_of(columns, config);
    if (!read_rows(s, header)) {
        NewFile *f = file_begin(path);
        file_put(f, header, strlen(header));
        char *error = file_commit(f);
        REQUIRE(!error, "cannot be written: %s", error);
    }
    free(header);
    return s;
}

Sweep *sweep_open_recorded(const char *path, const char *columns)
{
    Sweep *s = alloc(1, sizeof *s);
    *s = (Sweep){.path = format_new("%s", path), .values = count_columns(columns) - 1};
    char *bytes, *wrong = file_read(&bytes, &(size_t){0}, path, MOST_BYTES);
    REQUIRE(!wrong, "%s", wrong);
    const char *end = bytes[0] == '#' ? strchr(bytes, '\n') : NULL;
    json_t *config = end ? json_loadb(bytes + 1, (size_t)(end - bytes) - 1, 0, NULL) : NULL;
    REQUIRE(config, "%s: not a recorded sweep", path);
    const char *device = json_string_value(json_object_get(config, "device"));
    s->device = device ? format_new("%s", device) : NULL;
    char *header = header_of(columns, config);
    size_t good;
    wrong = sweep_parse(s, &good, bytes, strlen(bytes), header);
    REQUIRE(!wrong, "%s: %s", path, wrong);
    REQUIRE(good > 0, "%s: other columns than %s", path, columns);
    json_decref(config);
    free(header);
    free(bytes);
    return s;
}

static bool is_within(const SweepRange *r, double value)
{
    if (isnan(value))
        return r->missing;
    return value >= r->low && value <= r->high && (!r->whole || value == floor(value));
}

void sweep_require(const Sweep *s, const SweepRange *range)
{
    for (int i = 0; s && i < s->rows; i++)
        for (int v = -1; v < s->values; v++) {
            double value = v < 0 ? s->row[i].setting : s->row[i].value[v];
            REQUIRE(is_within(&range[1 + v], value),
                    "%s, line %d: %.9g: not a result of this sweep: repair or remove that line",
                    s->path, sweep_line(s, &s->row[i]), value);
        }
}

void sweep_free(Sweep *s)
{
    if (!s)
        return;
    free(s->path);
    free(s->device);
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
    char line[LINE], *error;
    for (int v = 0; v < s->values; v++) { /* as it will be read again */
        snprintf(line, LINE, "%.9g", values[v]);
        row.value[v] = strtod(line, NULL);
    }
    print_row(line, &row, s->values);
    FILE *log = file_log(s->path, false, &error);
    REQUIRE(log, "cannot be written: %s", error);
    error = file_log_put(log, line);
    REQUIRE(!error, "%s: cannot be written: %s", s->path, error);
    REQUIRE(fsync(fileno(log)) == 0 && fclose(log) == 0, "%s: cannot be written: %s", s->path,
            strerror(errno));
    append(s, row);
}

Spread sweep_spread(const Sweep *s, double setting, int value)
{
    double *found = alloc(s->rows + 1, sizeof *found);
    int n = 0;
    for (int i = 0; i < s->rows; i++)
        if (s->row[i].setting == setting)
            found[n++] = s->row[i].value[value];
    Spread spread = spread_of(found, n);
    free(found);
    return spread;
}
