/* class_sources.c: whose the files of a class are, and which one of a student's files is graded.
 *
 * A submission is a file, a folder or an archive on the top level, below the folders that all
 * submissions are in; learning platforms put the student's name into its name. Each gets a row:
 * what cannot be graded is listed with its fault, not skipped.
 */
#include "check.h"
#include "grade.h"
#include "printable.h"
#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST_NAME = 100 };

bool sources_are_many(const char *path)
{
    struct stat info;
    return (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) || archive_ending(path);
}

void sources_free(Sources *s)
{
    for (int i = 0; i < s->count; i++) {
        free(s->of[i].name), free(s->of[i].folder);
        free(s->of[i].bytes), free(s->of[i].fault);
    }
    free(s->of);
    *s = (Sources){0};
}

/* ---- paths ---- */

static bool is_folder(const Entry *e) { return e->path[strlen(e->path) - 1] == '/'; }

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_train(const char *name)
{
    return !strcasecmp(name, "train.c") || !strcasecmp(name, "train.c.txt");
}

/* Of the class, not a student's. */
static bool is_about_class(const char *name)
{
    static const char *const names[] = {"readme",      "readme.txt", "readme.md",
                                        "readme.html", "index.html", METADATA,
                                        "grades.csv",  "grades.xls", "manifest.xml"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

/* ---- names ---- */

/* Whose a file or folder is, by its name. */
typedef struct Owner {
    char *name;  /* for people */
    char *key;   /* the same for all that is the same student's; NULL: nothing else is */
    double time; /* of several attempts the last one counts */
} Owner;

/* How platforms name what they export: the parts with the student's name, with what else makes the
 * key (0: nothing), and with the time. */
static const struct {
    const char *pattern;
    int name, more, time;
    const char *format;
} platforms[] = {
    /* Moodle: "Jane Doe_123_assignsubmission_file_/solution.c" */
    {"^(.+)(_[0-9]+)_assignsubmission_", 1, 2, 0, ""},
    /* Blackboard: "Assignment 1_jdoe_attempt_2024-03-01-12-30-45_main.c" */
    {"_([^_]+)_attempt_([0-9-]{19})", 1, 0, 2, "%Y-%m-%d-%H-%M-%S"},
    /* Brightspace: "123-456 - Jane Doe - Mar 1, 2024 1230 PM/main.c" */
    {"^([0-9]+-[0-9]+) - (.+) - ([A-Z][a-z]+ [0-9]+, [0-9]{4} [0-9]+ [AP]M)", 2, 1, 3,
     "%b %d, %Y %I%M %p"},
    /* Canvas: "doejane_LATE_1234_5678_train-1.c" */
    {"^([^_]+)(_LATE)?(_[0-9]+)_[0-9]+_.*[.][^.]*$", 1, 3, 0, ""},
};

static char *part_of(const char *text, regmatch_t at)
{
    return format_new("%.*s", (int)(at.rm_eo - at.rm_so), text + at.rm_so);
}

/* The student's of a platform; key NULL: it is not named so. */
static Owner owner_of_platform(const char *name)
{
    Owner o = {0};
    for (int i = 0; i < (int)(sizeof platforms / sizeof *platforms) && !o.key; i++) {
        regex_t pattern;
        regmatch_t part[4];
        REQUIRE(!regcomp(&pattern, platforms[i].pattern, REG_EXTENDED), "no memory for a pattern");
        if (!regexec(&pattern, name, 4, part, 0)) {
            char *more = platforms[i].more ? part_of(name, part[platforms[i].more]) : NULL;
            struct tm at = {0};
            o.name = part_of(name, part[platforms[i].name]);
            o.key = format_new("%s%s", o.name, more ? more : "");
            if (platforms[i].time &&
                strptime(name + part[platforms[i].time].rm_so, platforms[i].format, &at))
                o.time = (double)timegm(&at);
            free(more);
        }
        regfree(&pattern);
    }
    return o;
}

/* name: of a file or folder on the top level. */
static Owner owner_of(const char *name, bool folder)
{
    Owner o = owner_of_platform(name);
    if (o.key)
        return o;
    const char *end = source_ending(name);
    end = end || folder ? end : archive_ending(name);
    end = end || folder ? end : strrchr(name + 1, '.');
    o.name = format_new("%.*s", (int)(end ? end - name : (long)strlen(name)), name);
    o.key = folder ? format_new("%s", name) : NULL;
    return o;
}

/* Gradescope calls folders submission_123; whose they are is in a file beside them:
 *
 *     submission_123:
 *       :submitters:
 *       - :name: Jane Doe
 */
static char *name_in_metadata(const Entries *e, const char *base, const char *folder)
{
    char *text = NULL, *names = NULL, *path = format_new("%s" METADATA, base);
    size_t size;
    bool inside = false;
    for (int i = 0; i < e->count && !strncmp(folder, "submission_", 11) && !text; i++)
        if (!strcmp(e->of[i].path, path))
            free(entry_read(&e->of[i], &text, &size));
    free(path);
    for (char *rest = text, *line; rest && (line = strsep(&rest, "\r\n"));) {
        static const char key[] = ":name: ";
        if (*line && *line != ' ' && *line != '-')
            inside = !strncmp(line, folder, strlen(folder)) && line[strlen(folder)] == ':';
        char *name = inside ? strstr(line, key) : NULL;
        if (!name)
            continue;
        name += sizeof key - 1;
        if (*name == '\'' || *name == '"')
            name++, name[strcspn(name, "'\"")] = 0;
        char *more = names ? format_new("%s, %s", names, name) : format_new("%s", name);
        free(names);
        names = more;
    }
    free(text);
    return names;
}

/* ---- one student's entries ---- */

typedef struct Group {
    Owner owner;
    const char *what; /* "the archive", "this folder"; NULL: a file, or files */
    Entry **of;
    int count;
} Group;

static void add(Group *g, Entry *e)
{
    if ((g->count & (g->count - 1)) == 0) { /* 1, 2, 4, … are full */
        g->of = realloc(g->of, (size_t)(2 * g->count + 1) * sizeof *g->of);
        REQUIRE(g->of, "out of memory: %d files", g->count);
    }
    g->of[g->count++] = e;
}

static bool is_candidate(const Entry *e)
{
    return !e->hidden && !is_folder(e) && source_ending(last_part(e->path));
}

/* The lower, the clearer it is that this file is meant: a train.c on top, one in assessment/, one
 * deeper; any other. top: how deep the group's own files are. */
static int rank_of(const Entry *e, int top)
{
    const char *last = last_part(e->path);
    int depth = -top;
    for (const char *at = e->path; *at; at++)
        depth += *at == '/';
    if (!is_train(last))
        return 3000;
    if (depth <= 0)
        return 0;
    static const char home[] = "assessment/";
    const char *at = last - (sizeof home - 1);
    bool there = at >= e->path && !strncasecmp(at, home, sizeof home - 1) &&
                 (at == e->path || at[-1] == '/');
    return (there ? 1000 : 2000) + depth;
}

/* The one that is meant; NULL: none, or it is not clear. *count: candidates. */
static Entry *pick(const Group *g, int top, int *count)
{
    Entry *best = NULL;
    double latest = 0;
    int least = 0, alike = 0;
    *count = 0;
    for (int i = 0; i < g->count; i++)
        if (is_candidate(g->of[i]) && g->of[i]->time > latest)
            latest = g->of[i]->time;
    for (int i = 0; i < g->count; i++) {
        if (!is_candidate(g->of[i]) || g->of[i]->time < latest)
            continue;
        int rank = rank_of(g->of[i], top);
        alike = !best || rank < least ? 1 : alike + (rank == least);
        best = !best || rank < least ? g->of[i] : best;
        least = rank < least || *count == 0 ? rank : least;
        ++*count;
    }
    return *count == 1 || (alike == 1 && least < 3000) ? best : NULL;
}

/* " (main.c, old.c, …)": of the candidates, or of all files. A new string. */
static char *list_of(const Group *g, bool candidates)
{
    char *list = format_new("%s", "");
    int listed = 0;
    for (int i = 0; i < g->count; i++) {
        const Entry *e = g->of[i];
        if (e->hidden || is_folder(e) || (candidates && !is_candidate(e)) || listed++ > 3)
            continue;
        char *more = format_new("%s%s%.60s", list, listed > 1 ? ", " : " (",
                                listed > 3 ? "…" : last_part(e->path));
        free(list);
        list = more;
    }
    char *all = format_new("%s%s", list, listed ? ")" : "");
    free(list);
    return all;
}

static char *not_one(const Group *g, int candidates)
{
    char *list = list_of(g, candidates > 0), *fault;
    if (candidates)
        fault = format_new("%s has %d C files%s: hand in one, train.c", g->what ? g->what : "it",
                           candidates, list);
    else if (g->what && !strcmp(g->what, "the archive"))
        fault = format_new("the archive has no file train.c or NAME.c%s", list);
    else if (g->what)
        fault = format_new("no train.c in this folder, nor another C file%s", list);
    else if (g->of[0]->fault)
        fault = format_new("%s: %s", g->of[0]->path, g->of[0]->fault);
    else
        fault = format_new("no C file, folder or archive%s",
                           g->of[0]->hidden ? " (only hidden files)" : list);
    free(list);
    return fault;
}

/* The source that is meant, new; or NULL and *fault, a new string. */
static char *source_of(const Group *g, int top, size_t *size, char **fault)
{
    int count;
    char *bytes = NULL;
    const Entry *meant = pick(g, top, &count);
    Entries inside = {0};
    Group unpacked = {.what = "the archive"};
    for (int i = 0; i < g->count && !count; i++) { /* only then archives are looked into */
        const Entry *e = g->of[i];
        bool kept = e->file || e->size || e->fault; /* in an archive within one: no */
        if (!kept || is_folder(e) || e->hidden || !archive_ending(last_part(e->path)))
            continue;
        char *wrong = entry_archive(&inside, e);
        *fault = *fault ? *fault : wrong;
        if (*fault != wrong)
            free(wrong);
    }
    for (int i = 0; i < inside.count; i++)
        add(&unpacked, &inside.of[i]);
    if (inside.archives && (unpacked.count || !*fault)) {
        free(*fault);
        *fault = NULL;
        bytes = source_of(&unpacked, 0, size, fault);
    } else if (meant)
        *fault = entry_read(meant, &bytes, size);
    else if (!*fault)
        *fault = not_one(g, count);
    free(unpacked.of);
    entries_free(&inside);
    return bytes;
}

/* ---- the class ---- */

typedef struct Groups {
    Group *of;
    int count;
} Groups;

static void groups_free(Groups *g)
{
    for (int i = 0; i < g->count; i++) {
        free(g->of[i].owner.name), free(g->of[i].owner.key), free(g->of[i].of);
    }
    free(g->of);
}

/* Is this folder one student's? */
static bool is_work(const Entries *e, const char *folder)
{
    size_t above = strlen(folder);
    int own = 0, others = 0;
    for (int i = 0; i < e->count; i++) {
        const char *rest = e->of[i].path + above, *slash;
        if (e->of[i].hidden || strncmp(e->of[i].path, folder, above))
            continue;
        slash = strchr(rest, '/');
        own += is_train(rest) || !strcasecmp(rest, "assessment/train.c");
        others += slash && is_train(slash + 1) && strncasecmp(rest, "assessment/", 11);
    }
    return own && others < 2;
}

/* Is all of it a copy of the project, of one student? */
static bool is_project(const Entries *e)
{
    bool trainer = false, library = false;
    for (int i = 0; i < e->count; i++) {
        trainer = trainer || !strcasecmp(e->of[i].path, "assessment/train.c");
        library = library || !strncmp(e->of[i].path, "common/", 7);
    }
    return trainer && library;
}

/* The folder that all submissions are in, "class/"; "": the top level. New. */
static char *shared_folder(const Entries *e)
{
    char *base = format_new("%s", "");
    for (;;) {
        size_t above = strlen(base), length = 0;
        const char *first = NULL;
        int parts = 0, others = 0;
        for (int i = 0; i < e->count; i++) {
            const char *rest = e->of[i].path + above;
            if (e->of[i].hidden || strncmp(e->of[i].path, base, above) || !*rest ||
                (first && !strncmp(first, rest, length) && rest[length - 1] == '/'))
                continue;
            bool folder = strchr(rest, '/');
            if (!folder && !source_ending(rest) && !archive_ending(rest)) {
                others += !is_about_class(rest);
                continue;
            }
            first = rest;
            length = strcspn(rest, "/") + folder;
            parts++;
        }
        if (parts > 1)
            return base;
        char *next = format_new("%s%.*s", base, (int)length, first ? first : "");
        Owner o = owner_of_platform(next + above);
        bool whose = o.key || !strncmp(next + above, "submission_", 11);
        free(o.key), free(o.name);
        bool ends = parts == 0 || others || whose || next[strlen(next) - 1] != '/' ||
                    is_work(e, next);
        if (ends) {
            free(next);
            if (!whose)
                *base = 0;
            return base;
        }
        free(base);
        base = next;
    }
}

/* The key's group, or a new one. Takes o. */
static int group_of(Groups *g, Owner o, const char *what)
{
    for (int i = g->count - 1; i >= 0 && o.key; i--)
        if (g->of[i].owner.key && !strcmp(g->of[i].owner.key, o.key)) {
            free(o.name), free(o.key);
            return i;
        }
    g->of = realloc(g->of, (size_t)(g->count + 1) * sizeof *g->of);
    REQUIRE(g->of, "out of memory: %d submissions", g->count);
    g->of[g->count] = (Group){.owner = o, .what = what};
    return g->count++;
}

/* Each entry in the folder `base` goes to its group. hidden: only those that are, of which there is
 * nothing else. */
static void make_groups(Groups *g, const Entries *e, const char *base, bool hidden)
{
    size_t above = strlen(base);
    const char *before = NULL; /* the folder that the last entry was in */
    int to = -1;               /* its group */
    double time = 0;
    for (int i = 0; i < e->count; i++) {
        Entry *own = &e->of[i];
        const char *rest = own->path + above;
        size_t length = strncmp(own->path, base, above) ? 0 : strcspn(rest, "/");
        if (own->hidden != hidden || !length)
            continue;
        bool folder = rest[length];
        if (!folder && is_about_class(rest)) {
            note("%s: skipped: not a submission", own->path);
            continue;
        }
        if (!folder || !before || strncmp(before, rest, length + 1)) {
            char *name = format_new("%.*s", (int)length, rest);
            Owner o = owner_of(name, folder);
            bool known = false;
            for (int k = 0; k < g->count && hidden; k++)
                known = known || !strcmp(g->of[k].owner.name, o.name);
            time = o.time;
            to = known ? -1
                       : group_of(g, o,
                                  folder                 ? "this folder"
                                  : archive_ending(name) ? "the archive"
                                                         : NULL);
            if (known)
                free(o.name), free(o.key);
            before = folder ? rest : NULL;
            free(name);
        }
        own->time = time;
        if (to >= 0)
            add(&g->of[to], own);
    }
}

/* "name", or "name (2)", … if an earlier source has that; the same of folders, where case makes no
 * difference. */
static char *unused(const Sources *s, int count, const char *text, bool folder)
{
    char *own = format_new("%s", text);
    for (int k = 2, i = 0; i < count; i++) {
        if (folder ? strcasecmp(s->of[i].folder, own) : strcmp(s->of[i].name, own))
            continue;
        free(own);
        own = format_new(folder ? "%s-%d" : "%s (%d)", text, k++);
        i = -1;
    }
    return own;
}

/* Readable names; folders of letters, digits and "._-". */
static void settle_names(Sources *s)
{
    for (int i = 0; i < s->count; i++) {
        char shown[MOST_NAME], safe[MOST_NAME];
        snprintf(safe, sizeof safe, "%s", printable(shown, sizeof shown, s->of[i].name));
        for (char *at = safe; *at; at++)
            *at = isalnum((unsigned char)*at) || strchr("._-", *at) ? *at : '_';
        if (*safe == '.' || *safe == '-')
            *safe = '_';
        free(s->of[i].name);
        s->of[i].name = unused(s, i, *shown ? shown : "_", false);
        s->of[i].folder = unused(s, i, *safe ? safe : "_", true);
    }
}

/* Two students of one name are told apart by what their platform adds; Gradescope's metadata name
 * those of submission_123. */
static void name_groups(Groups *g, const Entries *e, const char *base)
{
    bool *twice = alloc((size_t)g->count + 1, sizeof *twice);
    for (int i = 0; i < g->count; i++)
        for (int k = 0; k < g->count; k++)
            twice[i] = twice[i] || (k != i && g->of[i].owner.key && g->of[k].owner.key &&
                                    !strcmp(g->of[i].owner.name, g->of[k].owner.name));
    for (int i = 0; i < g->count; i++) {
        Owner *o = &g->of[i].owner;
        char *name = name_in_metadata(e, base, o->name);
        if (!name && twice[i])
            name = format_new("%s", o->key);
        if (name) {
            free(o->name);
            o->name = name;
        }
    }
    free(twice);
}

static char *name_of_class(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    char *whole = format_new("%.*s", (int)length, path), *last = format_new("%s", last_part(whole));
    if (archive_ending(last))
        last[archive_ending(last) - last] = 0;
    free(whole);
    return last;
}

static void add_sources(Sources *s, const Groups *g, const char *base)
{
    int top = 0;
    for (; *base; base++)
        top += *base == '/';
    s->of = alloc((size_t)g->count, sizeof *s->of);
    for (; s->count < g->count; s->count++) {
        const Group *own = &g->of[s->count];
        Source *to = &s->of[s->count];
        bool folder = own->what && !strcmp(own->what, "this folder");
        to->name = format_new("%s", own->owner.name);
        to->bytes = source_of(own, top + folder, &to->size, &to->fault);
    }
    settle_names(s);
}

char *sources_read(Sources *s, const char *path)
{
    *s = (Sources){0};
    Entries e = {0};
    Groups g = {0};
    char *wrong = entries_read(&e, path), *base = shared_folder(&e);
    if (is_project(&e)) {
        int whole = group_of(&g, (Owner){.name = name_of_class(path)}, "this folder");
        for (int i = 0; i < e.count; i++)
            add(&g.of[whole], &e.of[i]);
    } else {
        make_groups(&g, &e, base, false);
        make_groups(&g, &e, base, true);
        name_groups(&g, &e, base);
    }
    if (g.count == 1 && !strcasecmp(g.of[0].owner.name, "train")) {
        free(g.of[0].owner.name);
        g.of[0].owner.name = name_of_class(path);
    }
    if (!wrong && !g.count)
        wrong = format_new("no submission in it: expected files NAME.c, folders NAME with a "
                           "train.c, or archives");
    if (!wrong)
        add_sources(s, &g, base);
    free(base);
    groups_free(&g);
    entries_free(&e);
    if (!wrong)
        return NULL;
    char *all = format_new("%s: %s", path, wrong);
    free(wrong);
    return all;
}
