/* class_sources.c: the submissions of a folder or an archive, as bytes in memory: archives are
 * never unpacked to files, so their paths, links and devices are harmless. What is not a submission
 * is listed with its fault, not skipped.
 *
 * libarchive reads archives in a separate process with limits: the input is untrusted.
 */
#include "check.h"
#include "child.h"
#include "file.h"
#include "grade.h"
#include "printable.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

/* Of a source, an archive within an archive, everything. A class has 300 files of 20 kB. */
enum { MOST_SOURCE = 1 << 20, MOST_INNER = 8 << 20, MOST_NAME = 100 };
enum { MOST_FILES = 100, MOST_STUDENTS = 5000 }; /* of one student in an archive of a class */
static const size_t MOST_ARCHIVE = (size_t)1 << 30, MOST_READ = (size_t)1 << 30;
static const double MOST_SECONDS = 120;

static const char *const endings[] = {".zip", ".tar",     ".tar.gz", ".tgz",    ".tar.xz",
                                      ".txz", ".tar.bz2", ".tbz2",   ".tar.zst"};

/* Where an archive's extension begins in its name; NULL: not an archive. */
static const char *archive_ending(const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < (int)(sizeof endings / sizeof *endings); i++) {
        size_t own = strlen(endings[i]);
        if (length > own && !strcasecmp(name + length - own, endings[i]))
            return name + length - own;
    }
    return NULL;
}

static bool is_source(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && !strcmp(name + length - 2, ".c");
}

bool sources_are_many(const char *path)
{
    struct stat info;
    return (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) || archive_ending(path);
}

/* ---- lists ---- */

static void add(Sources *s, char *name, char *bytes, size_t size, char *fault)
{
    if ((s->count & (s->count - 1)) == 0) { /* 1, 2, 4, … are full */
        Source *more = realloc(s->of, (size_t)(2 * s->count + 1) * sizeof *more);
        REQUIRE(more, "out of memory: %d submissions", s->count);
        s->of = more;
    }
    s->of[s->count++] = (Source){.name = name, .bytes = bytes, .size = size, .fault = fault};
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

/* The last part of a path, and the one before it ("": none). */
static void last_parts(const char *path, char *last, char *before, size_t room)
{
    const char *slash = strrchr(path, '/'), *start = slash;
    snprintf(last, room, "%s", slash ? slash + 1 : path);
    while (start && start > path && start[-1] != '/')
        start--;
    snprintf(before, room, "%.*s", slash ? (int)(slash - start) : 0, start ? start : "");
}

/* "jane/train.c" is jane's, as is "jane.c" and "class/jane/sub/train.c" is sub's. */
static char *name_of(const char *path)
{
    char last[512], before[512];
    last_parts(path, last, before, sizeof last);
    if (is_source(last))
        last[strlen(last) - 2] = 0;
    else if (archive_ending(last))
        last[archive_ending(last) - last] = 0;
    bool generic = !strcmp(last, "train") && *before && strcmp(before, ".");
    return format_new("%s", generic ? before : last);
}

/* ---- archives ---- */

/* What a reader found in one archive, in memory that it shares with the grader: records, each with
 * its bytes behind it. */
typedef struct Members {
    size_t used;
    char fault[256]; /* "": none */
    char at[];       /* of MOST_READ */
} Members;

typedef struct Record {
    char path[512], fault[128];
    size_t size; /* of the bytes that follow */
} Record;

typedef struct Reading {
    const void *bytes;
    size_t size;
    bool inner; /* an archive within an archive: no further ones */
    Members *found;
} Reading;

#ifdef HAVE_LIBARCHIVE
static void put_record(Members *f, const char *path, const void *bytes, size_t size,
                       const char *fault)
{
    Record r = {.size = size};
    snprintf(r.path, sizeof r.path, "%s", path);
    snprintf(r.fault, sizeof r.fault, "%s", fault ? fault : "");
    if (f->used + sizeof r + size > MOST_READ) {
        snprintf(f->fault, sizeof f->fault, "holds more than %zu MiB", MOST_READ >> 20);
        return;
    }
    memcpy(f->at + f->used, &r, sizeof r);
    memcpy(f->at + f->used + sizeof r, bytes ? bytes : "", size);
    f->used += sizeof r + size;
}

/* The students of an archive of a class: the names on the level below the folder that all sources
 * have in common. A student who hands in too much is refused alone. */
typedef struct Student {
    char name[256];
    int files;
    size_t bytes;
    bool refused;
} Student;

typedef struct Students {
    char common[512]; /* the folder, with its slash; "": the top */
    bool any;         /* a source was seen */
    int count;
    Student of[MOST_STUDENTS];
} Students;

/* Shortens s->common to what it shares with this path. */
static void narrow(Students *s, const char *path)
{
    size_t same = 0, folder = 0;
    if (!s->any)
        snprintf(s->common, sizeof s->common, "%s", path);
    for (; s->common[same] && s->common[same] == path[same]; same++)
        folder = s->common[same] == '/' ? same + 1 : folder;
    s->common[folder] = 0;
    s->any = true;
}

/* NULL: there are too many. */
static Student *student_of(Students *s, const char *path)
{
    const char *own = path + strlen(s->common);
    char name[sizeof s->of->name];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(own, "/"), own);
    for (int i = s->count - 1; i >= 0; i--) /* those of one stand together */
        if (!strcmp(s->of[i].name, name))
            return &s->of[i];
    if (s->count == MOST_STUDENTS)
        return NULL;
    Student *new = &s->of[s->count++];
    *new = (Student){0};
    strcpy(new->name, name);
    return new;
}

/* Is it a source or an archive? Other files are ignored, as is what macOS adds. */
static bool is_wanted(const Reading *reading, struct archive_entry *entry)
{
    const char *path = archive_entry_pathname(entry);
    return path && (is_source(path) || (archive_ending(path) && !reading->inner)) &&
           !strstr(path, "__MACOSX") && !strstr(path, "/._") &&
           archive_entry_filetype(entry) != AE_IFDIR;
}

static void read_member(const Reading *reading, struct archive *a, struct archive_entry *entry)
{
    const char *path = archive_entry_pathname(entry);
    size_t most = is_source(path) ? MOST_SOURCE : MOST_INNER, size = 0;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry)) {
        put_record(reading->found, path, NULL, 0, "is a link or a device, not a file");
        return;
    }
    char *bytes = alloc(most + 1, 1);
    la_ssize_t got = 1;
    while (size <= most && (got = archive_read_data(a, bytes + size, most + 1 - size)) > 0)
        size += (size_t)got;
    put_record(reading->found, path, bytes, size > most || got < 0 ? 0 : size,
               got < 0       ? "is damaged, or locked by a password"
               : size > most ? "is too large for a source file"
                             : NULL);
    free(bytes);
}

/* Counts a wanted member, in the first pass over the archive. */
static void count_member(Students *s, const char *path, struct archive_entry *entry, Members *f)
{
    Student *student = student_of(s, path);
    if (!student) {
        snprintf(f->fault, sizeof f->fault, "has more than %d submissions", MOST_STUDENTS);
        return;
    }
    student->files++;
    student->bytes += (size_t)archive_entry_size(entry);
}

/* A refused student gets one record, which says why. */
static bool is_refused(Students *s, const char *path, Members *f)
{
    Student *student = student_of(s, path);
    bool many = student->files > MOST_FILES,
         large = student->files > 1 && student->bytes > MOST_INNER;
    if ((many || large) && !student->refused) {
        char own[768], fault[128];
        snprintf(own, sizeof own, "%s%.200s/train.c", s->common, student->name);
        snprintf(fault, sizeof fault, "%d C files and archives, %zu KiB: hand in one file, train.c",
                 student->files, student->bytes >> 10);
        put_record(f, own, NULL, 0, fault);
        student->refused = true;
    }
    return many || large;
}

/* One pass over the archive: finds the common folder, counts, reads. */
enum { NARROW, COUNT, READ };
static void pass_over(const Reading *reading, Students *s, int pass)
{
    Members *f = reading->found;
    struct archive *a = archive_read_new();
    struct archive_entry *entry;
    archive_read_support_filter_all(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    int status = archive_read_open_memory(a, reading->bytes, reading->size);
    while (
        status == ARCHIVE_OK && !*f->fault &&
        ((status = archive_read_next_header(a, &entry)) == ARCHIVE_OK || status == ARCHIVE_WARN)) {
        status = ARCHIVE_OK;
        const char *path = archive_entry_pathname(entry);
        if (!is_wanted(reading, entry))
            ;
        else if (pass == NARROW)
            narrow(s, path);
        else if (pass == COUNT)
            count_member(s, path, entry, f);
        else if (!is_refused(s, path, f))
            read_member(reading, a, entry);
    }
    if (status != ARCHIVE_EOF && !*f->fault)
        snprintf(f->fault, sizeof f->fault, "is not a readable archive: %s",
                 archive_error_string(a) ? archive_error_string(a) : "damaged");
    archive_read_free(a);
}

/* An archive of one student is that student's alone. */
static void read_archive(void *context)
{
    const Reading *reading = context;
    Students *s = alloc(1, sizeof *s);
    for (int pass = reading->inner ? COUNT : NARROW; pass <= READ && !*reading->found->fault;
         pass++)
        pass_over(reading, s, pass);
    if (reading->inner && s->count > MOST_FILES && !*reading->found->fault)
        snprintf(reading->found->fault, sizeof reading->found->fault,
                 "has more than %d C files: hand in one, train.c", MOST_FILES);
    free(s);
}
#else
static void read_archive(void *context)
{
    const Reading *reading = context;
    snprintf(reading->found->fault, sizeof reading->found->fault,
             "archives need libarchive, which this build lacks: install it (make doctor), or "
             "unpack it yourself");
}
#endif

/* Adds each source of the archive, named `name` where it has but one (NULL: by its path). Returns
 * NULL, or what is wrong with the archive, a new string. */
static char *add_archive(Sources *s, const char *name, const void *bytes, size_t size);

static void add_records(Sources *s, const char *name, const Members *f)
{
    for (size_t at = 0; at + sizeof(Record) <= f->used;) {
        Record r;
        memcpy(&r, f->at + at, sizeof r);
        at += sizeof r;
        const char *bytes = f->at + at;
        at += r.size;
        char *own = name ? format_new("%s", name) : name_of(r.path);
        if (*r.fault)
            add(s, own, NULL, 0, format_new("%s: %s", r.path, r.fault));
        else if (!is_source(r.path)) {
            char *fault = add_archive(s, own, bytes, r.size);
            if (fault)
                add(s, format_new("%s", own), NULL, 0, fault);
            free(own);
        } else {
            char *copy = alloc(r.size + 1, 1);
            memcpy(copy, bytes, r.size);
            add(s, own, copy, r.size, NULL);
        }
    }
}

static char *add_archive(Sources *s, const char *name, const void *bytes, size_t size)
{
    Members *f = mmap(NULL, sizeof *f + MOST_READ, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(f != MAP_FAILED, "out of memory: no room for an archive");
    Reading reading = {bytes, size, name != NULL, f};
    ChildEnd end = child_run(&(Child){.work = read_archive,
                                      .context = &reading,
                                      .streams = CHILD_OUT | CHILD_ERR,
                                      .seconds = MOST_SECONDS,
                                      .most_gib = 4,
                                      .alone = true});
    free(end.text);
    char *fault = NULL;
    if (!end.came_back)
        fault = format_new("the archive cannot be read (%s)",
                           end.timed_out ? "too slow" : "its reader ended early");
    else if (*f->fault)
        fault = format_new("the archive %s", f->fault);
    else {
        Sources own = {0};
        add_records(&own, name, f);
        if (own.count == 0)
            fault = format_new("the archive has no file train.c or NAME.c");
        else if (name && own.count > 1)
            fault = format_new("the archive has %d C files: hand in one, train.c", own.count);
        else
            for (int i = 0; i < own.count; i++) {
                add(s, own.of[i].name, own.of[i].bytes, own.of[i].size, own.of[i].fault);
                own.of[i] = (Source){0};
            }
        sources_free(&own);
    }
    munmap(f, sizeof *f + MOST_READ);
    return fault;
}

static char *add_archive_file(Sources *s, const char *name, const char *path)
{
    char *bytes;
    size_t size;
    char *fault = file_read(&bytes, &size, path, name ? MOST_INNER : MOST_ARCHIVE);
    if (!fault) {
        fault = add_archive(s, name, bytes, size);
        free(bytes);
    }
    return fault;
}

/* ---- folders ---- */

/* An archive that was unpacked here may have brought its links. */
static void add_file(Sources *s, char *name, const char *path)
{
    char *bytes = NULL;
    size_t size = 0;
    struct stat info;
    bool own = lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1;
    char *fault = own ? file_read(&bytes, &size, path, MOST_SOURCE)
                      : format_new("%s: is a link or a folder, not a file", path);
    add(s, name, fault ? NULL : bytes, size, fault);
}

/* One entry of the folder. */
static void add_entry(Sources *s, const char *folder, const char *entry)
{
    struct stat info;
    char *path = format_new("%s/%s", folder, entry), *inner = format_new("%s/train.c", path);
    if (*entry == '.')
        ;
    else if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && !is_source(entry)) {
        if (lstat(inner, &info) == 0)
            add_file(s, format_new("%s", entry), inner);
        else
            add(s, format_new("%s", entry), NULL, 0,
                format_new("%s: no train.c in this folder", path));
    } else if (is_source(entry))
        add_file(s, name_of(entry), path);
    else if (archive_ending(entry)) {
        char *name = name_of(entry), *fault = add_archive_file(s, name, path);
        if (fault)
            add(s, format_new("%s", name), NULL, 0, fault);
        free(name);
    } else
        note("%s: skipped: expected NAME.c, a folder with train.c, or an archive", path);
    free(path);
    free(inner);
}

static char *add_folder(Sources *s, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        return format_new("%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        add_entry(s, path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return NULL;
}

/* ---- names ---- */

static bool is_taken(const Sources *s, int count, const char *folder)
{
    for (int i = 0; i < count; i++)
        if (!strcasecmp(s->of[i].folder, folder)) /* file systems that fold case */
            return true;
    return false;
}

/* Readable names; unique folders of letters, digits and "._-". */
static void settle_names(Sources *s)
{
    for (int i = 0; i < s->count; i++) {
        char shown[MOST_NAME], safe[MOST_NAME];
        snprintf(safe, sizeof safe, "%s", printable(shown, sizeof shown, s->of[i].name));
        for (char *at = safe; *at; at++)
            *at = isalnum((unsigned char)*at) || strchr("._-", *at) ? *at : '_';
        if (*safe == '.' || *safe == '-')
            *safe = '_';
        char *name = format_new("%s", shown), *folder = format_new("%s", *safe ? safe : "_");
        for (int k = 2; is_taken(s, i, folder); k++) {
            free(folder);
            free(name);
            folder = format_new("%s-%d", safe, k);
            name = format_new("%s (%d)", shown, k);
        }
        free(s->of[i].name);
        s->of[i].name = name;
        s->of[i].folder = folder;
    }
}

char *sources_read(Sources *s, const char *path)
{
    *s = (Sources){0};
    char *wrong = archive_ending(path) ? add_archive_file(s, NULL, path) : NULL;
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        free(wrong);
        wrong = add_folder(s, path);
    }
    if (!wrong && !s->count)
        wrong = format_new("no submission in it: expected files NAME.c, folders NAME with a "
                           "train.c, or archives");
    if (wrong) {
        char *all = format_new("%s: %s", path, wrong);
        free(wrong);
        return all;
    }
    settle_names(s);
    return NULL;
}
