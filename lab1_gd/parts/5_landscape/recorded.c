/* recorded.c: see landscape_work.h. */
#include "check.h"
#include "file.h"
#include "json_text.h"
#include "landscape_work.h"
#include "number.h"
#include <stdlib.h>

/* Those that are kept; the training path is not: its plane's directions are the path's own. */
static const char *const slices[] = {"plane", "line-training", "line-test", "hessian"};
enum { SLICES = 4, MOST_POINTS = 2001, MOST_UPDATES = 1000000000 };

static Slice *slice_of(Look *l, int k)
{
    return k == 0 ? &l->plane : k == 1 ? &l->train : k == 2 ? &l->test : &l->sharp;
}

/* ---- write ---- */

static json_t *look_json(const Look *look)
{
    Look l = *look;
    const Network *n = l.net;
    json_t *all = json_object();
    for (int k = 0; k < SLICES; k++) {
        const Plane *p = &slice_of(&l, k)->plane;
        if (slice_of(&l, k)->surface)
            json_object_set_new(all, slices[k],
                                json_pack("{s:[i,i], s:[f,f,f,f]}", "points", p->nx, p->ny, "range",
                                          p->a_low, p->a_high, p->b_low, p->b_high));
    }
    json_t *json = json_pack("{s:o, s:f, s:o}", "name", json_text(n->name), "length", l.length,
                             "slices", all);
    if (n->snapshots) { /* not of a network from a file */
        json_object_set_new(json, "updates", json_integer(n->updates));
        json_object_set_new(json, "loss", json_real(n->loss[n->snapshots - 1]));
    }
    if (l.edges.steps)
        json_object_set_new(json, "eigenvalues",
                            json_pack("{s:f, s:f, s:i}", "largest", l.edges.top, "smallest",
                                      l.edges.bottom, "steps", l.edges.steps));
    return json;
}

void landscape_record(const Session *s)
{
    json_t *networks = json_array();
    for (int k = 0; k < s->view.looks; k++)
        json_array_append_new(networks, look_json(&s->view.look[k]));
    json_t *json = json_pack("{s:o, s:o, s:o}", "measured", json_text(s->view.title), "directions",
                             json_text(s->view.directions), "networks", networks);
    char *path = run_path(s->study.lab->run, "landscape.json"),
         *text = json_dumps(json, JSON_INDENT(2) | JSON_SORT_KEYS);
    NewFile *f = file_begin(path);
    file_print(f, "%s\n", text);
    char *error = file_commit(f);
    REQUIRE(!error, "landscape not written: %s", error);
    free(text), free(path);
    json_decref(json);
}

/* ---- read ---- */

static double number_of(const char *path, const json_t *json, const char *key, double low,
                        double high)
{
    double value;
    REQUIRE(number_json_real(&value, json_object_get(json, key), low, high),
            "%s: '%s': expected a number from %g to %g", path, key, low, high);
    return value;
}

/* Its grid and range, from {"points": [nx, ny], "range": [a_low, a_high, b_low, b_high]}. */
static Plane plane_of(const char *path, const json_t *json)
{
    const json_t *points = json_object_get(json, "points"), *range = json_object_get(json, "range");
    int64_t n[2];
    double v[4];
    bool right = json_array_size(points) == 2 && json_array_size(range) == 4;
    for (int k = 0; right && k < 2; k++)
        right = number_json_whole(&n[k], json_array_get(points, k), 1, MOST_POINTS);
    for (int k = 0; right && k < 4; k++)
        right = number_json_real(&v[k], json_array_get(range, k), -1e6, 1e6);
    REQUIRE(right, "%s: 'points' or 'range' of a slice: expected two and four numbers", path);
    return (Plane){.nx = (int)n[0],
                   .ny = (int)n[1],
                   .a_low = v[0],
                   .a_high = v[1],
                   .b_low = v[2],
                   .b_high = v[3]};
}

/* "FOLDER/resnet56-without-skips-plane.points.csv" */
static Surface *points_of(const char *folder, const char *name, const char *slice, const Plane *p)
{
    char *file = format_new("%s-%s.points.csv", name, slice);
    for (char *c = file; *c; c++)
        *c = *c == ' ' || *c == '/' ? '-' : *c;
    char *path = format_new("%s/%s", folder, file);
    Sweep *points = sweep_open_recorded(path, LANDSCAPE_COLUMNS);
    char *wrong = landscape_check(p, points);
    REQUIRE(!wrong, "%s: %s", path, wrong);
    REQUIRE(points->rows == p->nx * p->ny, "%s: %d points, expected %d x %d", path, points->rows,
            p->nx, p->ny);
    Surface *s = surface_new(p->nx, p->ny);
    for (int k = 0; k < points->rows; k++) {
        int at = (int)points->row[k].setting;
        s->loss[at] = points->row[k].value[2], s->accuracy[at] = points->row[k].value[3];
    }
    s->known = points->rows;
    sweep_free(points);
    free(path), free(file);
    return s;
}

static void read_look(Look *l, const char *folder, const char *path, const json_t *json)
{
    const json_t *name = json_object_get(json, "name"), *found = json_object_get(json, "slices"),
                 *edges = json_object_get(json, "eigenvalues");
    REQUIRE(json_is_string(name) && json_is_object(found), "%s: a network has no name or slices",
            path);
    l->name = format_new("%s", json_string_value(name));
    if (json_object_get(json, "updates")) {
        l->updates = (int)number_of(path, json, "updates", 1, MOST_UPDATES);
        l->loss = number_of(path, json, "loss", 0, 1e9);
    }
    if (json_object_get(json, "length"))
        l->length = number_of(path, json, "length", 0, 1e9);
    if (edges) {
        l->edges.top = number_of(path, edges, "largest", -1e12, 1e12);
        l->edges.bottom = number_of(path, edges, "smallest", -1e12, 1e12);
        l->edges.steps = (int)number_of(path, edges, "steps", 1, 1e6);
    }
    for (int k = 0; k < SLICES; k++) {
        const json_t *slice = json_object_get(found, slices[k]);
        REQUIRE(slice || k, "%s: %s has no plane", path, l->name);
        if (!slice)
            continue;
        Slice *to = slice_of(l, k);
        to->plane = plane_of(path, slice);
        to->surface = points_of(folder, l->name, slices[k], &to->plane);
    }
}

void landscape_open_recorded(Session *s)
{
    const char *folder = s->c->recorded;
    char *path = format_new("%s/landscape.json", folder), *bytes;
    size_t size;
    json_error_t error;
    char *wrong = file_read(&bytes, &size, path, 1 << 20);
    REQUIRE(!wrong, "%s: give a folder of results of this program", wrong);
    json_t *json = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    REQUIRE(json, "%s: line %d: %s", path, error.line, error.text);
    const json_t *networks = json_object_get(json, "networks"),
                 *measured = json_object_get(json, "measured"),
                 *directions = json_object_get(json, "directions");
    s->view.looks = (int)json_array_size(networks);
    REQUIRE((s->view.looks == 1 || s->view.looks == 2) && json_is_string(measured) &&
                json_is_string(directions),
            "%s: expected 'measured', 'directions', and one or two 'networks'", path);
    s->view.title = format_new("%s", json_string_value(measured));
    s->view.directions = format_new("%s", json_string_value(directions));
    s->view.lines = true;
    for (int k = 0; k < s->view.looks; k++)
        read_look(&s->view.look[k], folder, path, json_array_get(networks, k));
    snprintf(s->view.phase, sizeof s->view.phase, "measured before, not now: %.90s", folder);
    json_decref(json);
    free(bytes), free(path);
}
