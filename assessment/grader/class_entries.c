/* class_entries.c: the files of a folder or an archive of submissions, by their paths. Archives are
 * never unpacked to files, so their paths, links and devices are harmless.
 *
 * libarchive reads archives in a separate process with limits: the input is untrusted.
 */
#include "check.h"
#include "child.h"
#include "file.h"
#include "grade.h"
#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#ifdef HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

/* Of a source, an archive within an archive, everything. A class has 300 files of 20 kB, or 300
 * copies of the whole project. */
enum { MOST_SOURCE = 1 << 20, MOST_INNER = 64 << 20, MOST_MEMBERS = 400000, MOST_PATH = 4096 };
enum { MOST_DEPTH = 40 };
enum { MOST_FILES = 20000, MOST_BYTES = 64 << 20, MOST_STUDENTS = 20000 }; /* of one student */
static const size_t MOST_ARCHIVE = (size_t)1 << 30, MOST_READ = (size_t)1 << 30;
static const double MOST_SECONDS = 120;

static const char *const endings[] = {".zip",     ".tar",  ".tar.gz",  ".tgz", ".tar.xz", ".txz",
                                      ".tar.bz2", ".tbz2", ".tar.zst", ".7z",  ".rar"};

static const char *name_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), own = strlen(ending);
    return length > own && !strcasecmp(name + length - own, ending) ? name + length - own : NULL;
}

const char *archive_ending(const char *name)
{
    const char *found = NULL;
    for (int i = 0; i < (int)(sizeof endings / sizeof *endings) && !found; i++)
        found = name_ending(name, endings[i]);
    return found;
}

const char *source_ending(const char *name)
{
    const char *found = name_ending(name, ".c");
    return found ? found : name_ending(name, ".c.txt");
}

/* ---- lists ---- */

/* The path without what leads out of a folder and what systems add: "__MACOSX/jane/._train.c" is
 * "jane/train.c", hidden; "jane/.git/config" is "jane/". */
static void clean_path(char to[MOST_PATH], const char *path, bool *hidden)
{
    const char *slash = strchr(path, '/') ? "/" : "\\"; /* as some archives of Windows have it */
    size_t used = 0, length;
    *hidden = false;
    for (*to = 0; *path; path += length + (path[length] != 0)) {
        length = strcspn(path, slash);
        const char *part = path;
        size_t own = length;
        if (own > 2 && !strncmp(part, "._", 2)) { /* a resource fork of macOS */
            part += 2, own -= 2;
            *hidden = true;
        }
        if (own == 8 && !strncasecmp(part, "__MACOSX", 8))
            *hidden = true;
        else if (own == 0 || (own == 1 && *part == '.') || !strncmp(part, "..", own))
            ;
        else if (*part == '.' || !strncasecmp(part, "Thumbs.db", own > 9 ? own : 9) ||
                 !strncasecmp(part, "desktop.ini", own > 11 ? own : 11))
            return; /* leaves the folder */
        else
            used += (size_t)snprintf(to + used, MOST_PATH - used, "%.*s%s",
                                     (int)(used + own + 2 < MOST_PATH ? own : 0), part,
                                     path[length] ? "/" : "");
    }
}

static Entry *add(Entries *e, const char *path, const Entry *entry)
{
    char cleaned[MOST_PATH];
    Entry own = *entry;
    clean_path(cleaned, path, &own.hidden);
    if (!*cleaned)
        return NULL;
    if (cleaned[strlen(cleaned) - 1] == '/')
        own.bytes = NULL;
    if ((e->count & (e->count - 1)) == 0) { /* 1, 2, 4, … are full */
        Entry *more = realloc(e->of, (size_t)(2 * e->count + 1) * sizeof *more);
        REQUIRE(more, "out of memory: %d files", e->count);
        e->of = more;
    }
    own.path = format_new("%s", cleaned);
    e->of[e->count] = own;
    return &e->of[e->count++];
}

/* ---- archives ---- */

/* What a reader found in one archive, in memory that it shares with the grader: records, each with
 * its path, a zero byte and its bytes behind it. */
struct Members {
    size_t used;
    int members;
    char fault[256]; /* "": none */
    char at[];       /* of MOST_READ */
};

enum { FINE, LINK, TOO_LARGE, DAMAGED, NO_ROOM, TOO_MUCH, FAULTS };
static const char *const faults[FAULTS] = {NULL,
                                           "is a link or a device, not a file",
                                           "is too large for a source file",
                                           "is damaged, or locked by a password",
                                           "does not fit: the sources here exceed 1 GiB",
                                           "is one file too many: 20,000 of a student, or 64 MiB "
                                           "of sources and archives, are read"};

typedef struct Record {
    size_t path, size; /* bytes */
    int fault;
} Record;

typedef struct Reading {
    char *bytes;
    size_t size;
    bool inner; /* an archive within an archive: no further ones */
    Members *found;
} Reading;

#ifdef HAVE_LIBARCHIVE
static void put_record(Members *f, const char *path, const void *bytes, size_t size, int fault)
{
    Record r = {.path = strnlen(path, MOST_PATH - 1), .size = fault ? 0 : size, .fault = fault};
    if (f->used + sizeof r + r.path + 1 + r.size > MOST_READ)
        r.size = 0, r.fault = NO_ROOM;
    if (f->used + sizeof r + r.path + 1 > MOST_READ) {
        snprintf(f->fault, sizeof f->fault, "holds more than %zu MiB", MOST_READ >> 20);
        return;
    }
    char *to = f->at + f->used;
    memcpy(to, &r, sizeof r);
    memcpy(to + sizeof r, path, r.path);
    to[sizeof r + r.path] = 0;
    memcpy(to + sizeof r + r.path + 1, bytes ? bytes : "", r.size);
    f->used += sizeof r + r.path + 1 + r.size;
}

/* The students of an archive: the names below the folder that all files have in common. One who
 * hands in too much leaves the others theirs. */
typedef struct Student {
    char name[256];
    int files;
    size_t bytes;
} Student;
typedef struct Students {
    char common[MOST_PATH]; /* with its slash; "": the top */
    bool any;
    int count;
    Student of[MOST_STUDENTS];
} Students;

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
    int length = (int)strcspn(own, "/");
    char name[sizeof s->of->name];
    snprintf(name, sizeof name, "%.*s", length, own);
    for (int i = s->count - 1; i >= 0 && i > s->count - 1000; i--) /* one's are side by side */
        if (!strcmp(s->of[i].name, name))
            return &s->of[i];
    if (s->count == MOST_STUDENTS)
        return NULL;
    strcpy(s->of[s->count].name, name);
    return &s->of[s->count++];
}

static const char *path_of(struct archive_entry *entry)
{
    const char *path = archive_entry_pathname(entry);
    path = path ? path : archive_entry_pathname_utf8(entry);
    return path ? path : "a name that cannot be read";
}

/* Only sources, archives and metadata are read; of the others the name is kept. */
static void read_member(const Reading *reading, Student *student, struct archive *a,
                        struct archive_entry *entry)
{
    const char *path = path_of(entry), *slash = strrchr(path, '/');
    bool archived = archive_ending(path) && !reading->inner, kept = archived || source_ending(path);
    kept = kept || !strcmp(slash ? slash + 1 : path, METADATA);
    if (archive_entry_filetype(entry) == AE_IFDIR) {
        char *folder = format_new("%.4000s/", path);
        put_record(reading->found, folder, NULL, 0, FINE);
        free(folder);
    } else if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
        put_record(reading->found, path, NULL, 0, LINK);
    else if (!kept)
        put_record(reading->found, path, NULL, 0, FINE);
    else if (student->bytes > MOST_BYTES)
        put_record(reading->found, path, NULL, 0, TOO_MUCH);
    else {
        size_t most = archived ? MOST_INNER : MOST_SOURCE, size = 0;
        char *bytes = alloc(most + 1, 1);
        la_ssize_t got = 1;
        while (size <= most && (got = archive_read_data(a, bytes + size, most + 1 - size)) > 0)
            size += (size_t)got;
        student->bytes += size;
        put_record(reading->found, path, bytes, size,
                   got < 0       ? DAMAGED
                   : size > most ? TOO_LARGE
                                 : FINE);
        free(bytes);
    }
}

static unsigned number(const char *at, int bytes)
{
    unsigned value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

/* Names in a ZIP archive are taken as the bytes that they are: libarchive loses those that are
 * declared as UTF-8 and are not, or that the locale lacks. So nothing is declared (bit 11 of the
 * flags; APPNOTE.TXT 4.4.4), in the central directory and before each member. */
static void undeclare_names(char *zip, size_t size)
{
    enum { END = 22, CENTRAL = 46, LOCAL = 30 };
    for (size_t back = END; back <= size && back < END + 65536; back++) {
        const char *end = zip + size - back;
        if (memcmp(end, "PK\5\6", 4))
            continue;
        size_t at = number(end + 16, 4), left = number(end + 10, 2);
        for (; left && at + CENTRAL <= size && !memcmp(zip + at, "PK\1\2", 4); left--) {
            size_t member = number(zip + at + 42, 4);
            zip[at + 9] &= (char)~8;
            if (member + LOCAL <= size && !memcmp(zip + member, "PK\3\4", 4))
                zip[member + 7] &= (char)~8;
            at += CENTRAL + number(zip + at + 28, 2) + number(zip + at + 30, 2) +
                  number(zip + at + 32, 2);
        }
        return;
    }
}

/* One pass over the archive: finds the common folder, or reads. */
static void pass_over(const Reading *reading, Students *s, bool reads)
{
    Members *f = reading->found;
    struct archive *a = archive_read_new();
    struct archive_entry *entry;
    archive_read_support_filter_all(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_7zip(a);
    archive_read_support_format_rar(a);
#if ARCHIVE_VERSION_NUMBER >= 3004000
    archive_read_support_format_rar5(a);
#endif
    int status = archive_read_open_memory(a, reading->bytes, reading->size);
    while (
        status == ARCHIVE_OK && !*f->fault &&
        ((status = archive_read_next_header(a, &entry)) == ARCHIVE_OK || status == ARCHIVE_WARN)) {
        status = ARCHIVE_OK;
        if (!reads) {
            narrow(s, path_of(entry));
            continue;
        }
        Student *student = student_of(s, path_of(entry));
        if (!student || f->members > MOST_MEMBERS)
            snprintf(f->fault, sizeof f->fault, "has more than %d files or %d submissions",
                     MOST_MEMBERS, MOST_STUDENTS);
        else if (++student->files <= MOST_FILES) {
            f->members++;
            read_member(reading, student, a, entry);
        } else if (student->files == MOST_FILES + 1)
            put_record(f, path_of(entry), NULL, 0, TOO_MUCH);
    }
    if (status != ARCHIVE_EOF && !*f->fault)
        snprintf(f->fault, sizeof f->fault, "is not a readable archive (tar, zip, 7z, rar): %s",
                 archive_error_string(a) ? archive_error_string(a) : "damaged");
    archive_read_free(a);
}

static void read_archive(void *context)
{
    const Reading *reading = context;
    Students *s = alloc(1, sizeof *s);
    setlocale(LC_CTYPE, "C.UTF-8"); /* of this process: for names in UTF-16 */
    undeclare_names(reading->bytes, reading->size);
    pass_over(reading, s, false);
    pass_over(reading, s, true);
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

static void add_records(Entries *e, const Members *f)
{
    for (size_t at = 0; at + sizeof(Record) <= f->used;) {
        Record r;
        memcpy(&r, f->at + at, sizeof r);
        const char *path = f->at + at + sizeof r, *bytes = path + r.path + 1;
        at += sizeof r + r.path + 1 + r.size;
        add(e, path, &(Entry){.bytes = bytes, .size = r.size, .fault = faults[r.fault]});
    }
}

void entries_free(Entries *e)
{
    for (int i = 0; i < e->count; i++)
        free(e->of[i].path), free(e->of[i].file);
    for (int i = 0; i < e->archives; i++)
        munmap(e->archive[i], sizeof(Members) + MOST_READ);
    free(e->archive);
    free(e->of);
    *e = (Entries){0};
}

static char *add_archive(Entries *e, char *bytes, size_t size, bool inner)
{
    Members *f = mmap(NULL, sizeof *f + MOST_READ, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(f != MAP_FAILED, "out of memory: no room for an archive");
    e->archive = realloc(e->archive, (size_t)(e->archives + 1) * sizeof *e->archive);
    REQUIRE(e->archive, "out of memory: no room for an archive");
    e->archive[e->archives++] = f;
    Reading reading = {bytes, size, inner, f};
    ChildEnd end = child_run(&(Child){.work = read_archive,
                                      .context = &reading,
                                      .streams = CHILD_OUT | CHILD_ERR,
                                      .seconds = MOST_SECONDS,
                                      .most_gib = 4,
                                      .alone = true});
    free(end.text);
    if (!end.came_back)
        return format_new("the archive cannot be read (%s)",
                          end.timed_out ? "too slow" : "its reader ended early");
    if (*f->fault)
        return format_new("the archive %s", f->fault);
    add_records(e, f);
    return NULL;
}

char *entry_archive(Entries *e, const Entry *from)
{
    char *bytes = NULL, *fault = NULL;
    size_t size = from->size;
    if (from->fault)
        return format_new("the archive %s", from->fault);
    if (from->file)
        fault = file_read(&bytes, &size, from->file, MOST_INNER);
    else {
        bytes = alloc(size, 1);
        memcpy(bytes, from->bytes, size);
    }
    fault = fault ? fault : add_archive(e, bytes, size, true);
    free(bytes);
    return fault;
}

char *entry_read(const Entry *from, char **bytes, size_t *size)
{
    *bytes = NULL;
    if (from->fault)
        return format_new("%s: %s", from->path, from->fault);
    if (from->file)
        return file_read(bytes, size, from->file, MOST_SOURCE);
    *size = from->size;
    *bytes = alloc(from->size + 1, 1);
    memcpy(*bytes, from->bytes, from->size);
    return NULL;
}

/* ---- folders ---- */

/* within: the path of `folder` in the class, "" or ending in "/". An archive that was unpacked here
 * may have brought its links: none is followed. */
static char *add_folder(Entries *e, const char *folder, const char *within, int depth, int *left)
{
    struct dirent **found;
    int count = scandir(folder, &found, NULL, NULL);
    if (count < 0)
        return format_new("%s: %s", folder, strerror(errno));
    char *fault = NULL;
    for (int i = 0; i < count; i++) {
        int of_student = MOST_FILES;
        const char *name = found[i]->d_name;
        char *file = format_new("%s/%s", folder, name);
        struct stat info = {0};
        bool is_link = lstat(file, &info) || !(S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)) ||
                       (S_ISREG(info.st_mode) && info.st_nlink != 1);
        bool is_folder = S_ISDIR(info.st_mode);
        char *path = format_new("%s%s%s", within, name, is_folder ? "/" : "");
        Entry *own = strcmp(name, ".") && strcmp(name, "..") && (depth == 0 || --*left > 0)
                       ? add(e, path, &(Entry){.fault = is_link ? faults[LINK] : NULL})
                       : NULL;
        if (own)
            own->file = format_new("%s", file);
        if (e->count > MOST_MEMBERS && !fault)
            fault = format_new("has more than %d files", MOST_MEMBERS);
        if (is_folder && own && *name != '.' && depth < MOST_DEPTH && !fault)
            free(add_folder(e, file, path, depth + 1,
                            depth ? left : &of_student)); /* one that is unreadable is listed */
        free(path);
        free(file);
        free(found[i]);
    }
    free(found);
    return fault;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const Entry *)a)->path, ((const Entry *)b)->path);
}

char *entries_read(Entries *e, const char *path)
{
    struct stat info;
    char *bytes, *fault;
    size_t size;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        fault = add_folder(e, path, "", 0, NULL);
    else if (!(fault = file_read(&bytes, &size, path, MOST_ARCHIVE))) {
        fault = add_archive(e, bytes, size, false);
        free(bytes);
    }
    if (!fault)
        qsort(e->of, (size_t)e->count, sizeof *e->of, by_path);
    return fault;
}
