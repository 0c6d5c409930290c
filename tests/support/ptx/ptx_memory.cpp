/* ptx_memory.cpp: memory as a kernel may use it: alignment, bounds, what is written before it is
 * read, races. Each byte has a shadow, which knows the last thread that wrote it and the last that
 * read it. */
#include "ptx_machine.h"
#include <stdlib.h>

static uint32_t launch;
static std::map<uint32_t *, std::set<uint32_t>> announced; /* who incremented a count */

/* ---- shadows of global memory: one for each piece, made when it is first used ---- */
enum : size_t { MOST_SHADOWS = (size_t)1 << 26 }; /* bytes with a shadow; then all are forgotten */

struct Piece {
    size_t size = 0;
    Shadow *shadows = NULL;
};
static std::map<char *, Piece> pieces;
static size_t shadowed;

static void forget(void)
{
    for (auto &p : pieces)
        free(p.second.shadows);
    pieces.clear();
    shadowed = 0;
}

void ptx_begin_launch(void)
{
    launch++;
    announced.clear();
    if (shadowed > MOST_SHADOWS)
        forget();
}

static Shadow *shadows_of(char *start, size_t size)
{
    Piece &p = pieces[start];
    if (p.size != size) { /* the memory has another owner */
        free(p.shadows);
        shadowed += size - p.size;
        p = {size, (Shadow *)calloc(size, sizeof(Shadow))};
    }
    return p.shadows;
}

/* ---- races ---- */
static std::string thread_name(const Visit &v)
{
    return (v.thread == SEVERAL ? "several threads" : "thread " + std::to_string(v.thread)) +
           (v.block == UINT32_MAX ? " of several blocks"
                                  : " of block " + std::to_string(v.block - 1));
}

/* May this thread not yet know what was done there? */
static bool unordered(const Block &b, const Visit &v, unsigned index)
{
    if (!v.block)
        return false;
    if (v.block != b.index + 1)
        return !b.behind.count(v.block);
    return v.thread != index && v.interval == b.interval;
}

static void note(const Block &b, Shadow &s, unsigned index, Access access)
{
    auto race = [&](const Visit &v, const char *how) {
        if (unordered(b, v, index))
            throw Finding{std::string("a race: thread ") + std::to_string(index) + " of block " +
                          std::to_string(b.index) + how + thread_name(v)};
    };
    Visit now = {b.index + 1, b.interval, (uint16_t)index};
    if (access == READ) {
        race(s.write, " reads what was written by ");
        bool same = s.read.block == now.block && s.read.interval == now.interval;
        if (same && s.read.thread != index)
            now.thread = SEVERAL;
        if (s.read.block && s.read.block != now.block && unordered(b, s.read, index))
            now.block = UINT32_MAX, now.thread = SEVERAL;
        s.read = now;
    } else {
        race(s.write, " writes what was written by ");
        race(s.read, " writes what was read by ");
        s.write = now;
        s.written = true;
        s.copying = access == NOT_YET;
    }
}

/* ---- places ---- */
static std::string bytes_at(size_t bytes, uint64_t at)
{
    return std::to_string(bytes) + " bytes at " + std::to_string(at);
}

static char *place_shared(Block &b, unsigned index, uint64_t at, size_t bytes, Access access)
{
    bool inside = false;
    for (auto &v : b.k->variables)
        inside |= at >= v.first && at + bytes <= v.second;
    if (!inside)
        throw Finding{"shared memory out of bounds: " + bytes_at(bytes, at)};
    for (size_t i = at; i < at + bytes; i++) {
        Shadow &s = b.shadow[i];
        if (access == READ && (!s.written || s.copying))
            throw Finding{s.copying ? "shared memory is read while a copy into it is in flight"
                                    : "shared memory is read before it is written"};
        note(b, s, index, access);
    }
    return &b.shared[at];
}

static char *place_global(Block &b, unsigned index, uint64_t at, size_t bytes, Access access)
{
    char *start;
    size_t size;
    char *p = (char *)at;
    if (!ptx_piece(p, bytes, &start, &size))
        throw Finding{"global memory out of bounds: " + std::to_string(bytes) + " bytes, thread " +
                      std::to_string(index) + " of block " + std::to_string(b.index)};
    if (access == UNNOTED)
        return p;
    Shadow *shadows = shadows_of(start, size) + (p - start);
    for (size_t i = 0; i < bytes; i++) {
        if (shadows[i].launch != launch)
            shadows[i] = Shadow(), shadows[i].launch = launch;
        note(b, shadows[i], index, access);
    }
    return p;
}

char *ptx_place(Block &b, unsigned index, Space space, uint64_t address, size_t bytes,
                Access access)
{
    if (address % bytes)
        throw Finding{"a misaligned address: " + bytes_at(bytes, address % 64) + " modulo 64"};
    if (space == SHARED)
        return place_shared(b, index, address, bytes, access);
    if (space == GLOBAL)
        return place_global(b, index, address, bytes, access);
    if (access != READ || address + bytes > b.k->parameter_bytes)
        throw Finding{"the parameters out of bounds: " + bytes_at(bytes, address)};
    return (char *)b.parameters + address;
}

/* ---- order between blocks: what a block did before its fence and increment is known to one that
 * increments later and has a fence behind it ---- */
void ptx_increment(Block &b, uint32_t *count, uint32_t most, uint32_t *old)
{
    if (!b.fenced)
        throw Finding{"no fence before an atomic increment"};
    *old = *count;
    *count = *old >= most ? 0 : *old + 1;
    b.fenced = false;
    std::set<uint32_t> &all = announced[count];
    b.counted.insert(all.begin(), all.end());
    all.insert(b.index + 1);
    all.insert(b.behind.begin(), b.behind.end());
    if (*count == 0)
        all.clear();
}

void ptx_fence(Block &b)
{
    b.fenced = true;
    b.behind.insert(b.counted.begin(), b.counted.end());
}
