/* backend_cpu.c: the CPU as a device: memory, queues, this process's cores, and the table of its
 * operations (cpu_*.c).
 *
 * A stream works at once: when an operation returns, it is done. So an event is a clock reading,
 * and there is nothing to wait for.
 */
#include "backend/backend_open.h"
#include "cgroup.h"
#include "check.h"
#include "cpu.h"
#include "memory.h"
#include "observer.h"
#include "timer.h"
#include <omp.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

struct Event {
    double time;
};

/* Zeroed memory, aligned to a cache line. Large buffers request huge pages (2 MiB): a network's
 * activations span more 4 KiB pages than the TLB holds. */
static void *memory_new(size_t bytes)
{
    enum { LINE = 64, HUGE_PAGE = 2 << 20 };
    size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : LINE;
    void *p = NULL;
    const char *smaller = "use fewer --threads, or a smaller batch, model or data set";
    if (align == HUGE_PAGE)
        memory_require((double)bytes, "an array", smaller);
    REQUIRE(posix_memalign(&p, align, bytes ? bytes : 1) == 0, "no memory for %zu bytes: %s", bytes,
            smaller);
#ifdef MADV_HUGEPAGE
    if (align == HUGE_PAGE)
        madvise(p, bytes, MADV_HUGEPAGE);
#endif
    memset(p, 0, bytes);
    return p;
}

Buffer *cpu_buffer_new(Backend *be, size_t bytes)
{
    Buffer *b = alloc(1, sizeof *b);
    *b = (Buffer){be, memory_new(bytes), bytes};
    return b;
}

void cpu_buffer_free(Buffer *b)
{
    if (b)
        free(b->host);
    free(b);
}

void *cpu_buffer_host(Buffer *b) { return b->host; }

void cpu_upload(Stream *s, Tensor dst, const void *src)
{
    ASSERT(dst.halo == 0);
    memcpy(cpu_at(dst), src, tensor_count(dst) * dtype_size(dst.dtype));
}

void cpu_download(Stream *s, void *dst, Tensor src)
{
    size_t row = (size_t)src.w * src.c * dtype_size(src.dtype);
    for (int n = 0; n < src.n; n++)
        for (int h = 0; h < src.h; h++)
            memcpy((char *)dst + ((size_t)n * src.h + h) * row, cpu_pixels(src, n, h), row);
}

void cpu_copy(Stream *s, Tensor dst, Tensor src)
{
    ASSERT(same_shape(dst, src) && dst.dtype == src.dtype);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < src.n; n++)
        for (int h = 0; h < src.h; h++)
            memcpy(cpu_pixels(dst, n, h), cpu_pixels(src, n, h),
                   (size_t)src.w * src.c * dtype_size(src.dtype));
}

void cpu_zero(Stream *s, Tensor t)
{
    if (t.halo == 0)
        memset(cpu_at(t), 0, tensor_count(t) * dtype_size(t.dtype));
    else
        for (int n = 0; n < t.n; n++)
            for (int h = 0; h < t.h; h++)
                memset(cpu_pixels(t, n, h), 0, (size_t)t.w * t.c * dtype_size(t.dtype));
}

Stream *cpu_stream_new(Backend *be, int threads)
{
    Stream *s = alloc(1, sizeof *s);
    /* scratch memory is for be->threads */
    *s = (Stream){be, threads && threads < be->threads ? threads : be->threads};
    return s;
}

void cpu_stream_free(Stream *s) { free(s); }
void cpu_stream_sync(Stream *s) {}

Event *cpu_event_new(Backend *be) { return alloc(1, sizeof(Event)); }

void cpu_event_free(Event *e) { free(e); }

void cpu_event_record(Event *e, Stream *s) { e->time = timer_now(); }

void cpu_event_wait(Stream *s, Event *e) {}
double cpu_event_seconds(Event *from, Event *to) { return to->time - from->time; }

void cpu_reserve(Backend *be, size_t floats)
{
    CpuBackend *cpu = (CpuBackend *)be;
    if (floats <= cpu->scratch_floats)
        return;
    free(cpu->scratch);
    cpu->scratch = memory_new(floats * sizeof(float));
    cpu->scratch_floats = floats;
}

void cpu_close(Backend *be)
{
    free(((CpuBackend *)be)->scratch);
    free(be);
}

/* The rest is filled in by cpu_kernels. */
static const BackendOps memory_ops = {
    .name = "cpu",
    .bf16 = true,
#define DEVICE_OP(type, name, ...) .name = cpu_##name,
#include "backend_ops.h"
};

#ifdef PORTABLE
/* The kernels, compiled for several instruction sets (Makefile, PORTABLE=1): the widest that this
 * processor has. */
void cpu_kernels_bf16(BackendOps *op); /* AVX-512 with dots of bfloat16 */
void cpu_kernels_v4(BackendOps *op);   /* AVX-512 */
void cpu_kernels_v3(BackendOps *op);   /* AVX2, FMA */
void cpu_kernels_v1(BackendOps *op);   /* any x86-64 */

static const char *choose_kernels(BackendOps *op)
{
    __builtin_cpu_init();
    bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    if (v4 && __builtin_cpu_supports("avx512bf16"))
        return cpu_kernels_bf16(op), "AVX-512 with BF16";
    if (v4)
        return cpu_kernels_v4(op), "AVX-512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return cpu_kernels_v3(op), "AVX2";
    return cpu_kernels_v1(op), "SSE2";
}
#else
static const char *choose_kernels(BackendOps *op) { return cpu_kernels(op), NULL; }
#endif

/* Ask Linux for the matrix unit (cpu_amx.h), which it grants only on request. */
static bool amx_granted(void)
{
#if defined(AMX_EMULATED)
    return true;
#elif defined(__x86_64__)
    enum { ARCH_REQUEST = 0x1023, TILE_DATA = 18, BF16_TILES = 1 << 24 | 1 << 22 };
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & BF16_TILES) == BF16_TILES &&
           syscall(SYS_arch_prctl, ARCH_REQUEST, TILE_DATA) == 0;
#else
    return false;
#endif
}

/* Pin this process to the local_rank-th part of the available cores, so that ranks do not migrate
 * between cores. More ranks than cores share them round robin. Returns the number of its cores, or
 * a container's quota of processor time, if that is less. */
static int take_cores(int local_rank, int local_size, char *list, size_t size)
{
    cpu_set_t allowed, mine;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        int total = CPU_COUNT(&allowed), seen = 0, taken = 0;
        int first = total >= local_size ? (int)((long)total * local_rank / local_size)
                                        : local_rank % total;
        int end = total >= local_size ? (int)((long)total * (local_rank + 1) / local_size)
                                      : first + 1;
        CPU_ZERO(&mine);
        for (int core = 0; core < CPU_SETSIZE; core++)
            if (CPU_ISSET(core, &allowed)) {
                if (seen >= first && seen < end) {
                    CPU_SET(core, &mine);
                    size_t used = strlen(list);
                    snprintf(list + used, size - used, taken ? ",%d" : "%d", core);
                    taken++;
                }
                seen++;
            }
        if (local_size > 1)
            sched_setaffinity(0, sizeof mine,
                              &mine); /* a failure (in a container) only costs speed */
        return (int)fmin(taken, fmax(1, ceil(cgroup_cores() / local_size)));
    }
    snprintf(list, size, "any");
    int total = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return total >= local_size ? total / local_size : 1;
}

/* The part number in the line "CPU part : 0xd0c" of an ARM processor. */
static const char *arm_name(const char *part)
{
    static const struct {
        const char *part, *name;
    } known[] = {{"0xd03", "ARM Cortex-A53"},  {"0xd05", "ARM Cortex-A55"},
                 {"0xd07", "ARM Cortex-A57"},  {"0xd08", "ARM Cortex-A72"},
                 {"0xd0b", "ARM Cortex-A76"},  {"0xd0c", "ARM Neoverse N1"},
                 {"0xd40", "ARM Neoverse V1"}, {"0xd49", "ARM Neoverse N2"},
                 {"0xd4f", "ARM Neoverse V2"}, {"0xac3", "Ampere-1"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(part, known[i].part))
            return known[i].name;
    return "ARM";
}

/* Most processors have a "model name"; of others, what is there. */
static void cpu_model_name(char *name, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    struct utsname machine;
    snprintf(name, size, "%s", uname(&machine) == 0 ? machine.machine : "unnamed");
    while (f && fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (!value || !value[1])
            continue;
        value[strcspn(value, "\n")] = 0;
        if (!strncmp(line, "model name", 10)) {
            snprintf(name, size, "%.60s", value + 2);
            break;
        }
        if (!strncmp(line, "CPU part", 8))
            snprintf(name, size, "%s", arm_name(value + 2));
    }
    if (f)
        fclose(f);
}

/* Switch off OpenBLAS's own threads: what calls it (analyses, exercises, the grader) stays on its
 * thread. Other CBLAS lack this call. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
/* What it maps for each thread, and the heaps of all threads: with less it never stops trying. */
static const double BLAS_ROOM = (128 << 20) + 4096, OTHER_ROOM = 150e6; /* bytes */

Backend *backend_cpu_open(int local_rank, int local_size, int threads)
{
    CpuBackend *cpu = alloc(1, sizeof *cpu);
    char name[80], cores[256] = "";
    int own = take_cores(local_rank, local_size, cores, sizeof cores);
    cpu->ops = memory_ops;
    cpu->amx = amx_granted();
    const char *portable = choose_kernels(&cpu->ops);
    cpu->base = (Backend){.op = &cpu->ops, .threads = threads ? threads : own};
    double room = BLAS_ROOM * cpu->base.threads + OTHER_ROOM, left = memory_addresses_left();
    if (openblas_set_num_threads && left < room)
        die(EXIT_USAGE,
            "%d thread%s with OpenBLAS map%s %.0f MB, and ulimit -v leaves this process %.0f MB: "
            "raise it%s",
            cpu->base.threads, cpu->base.threads == 1 ? "" : "s", cpu->base.threads == 1 ? "s" : "",
            1e-6 * room, 1e-6 * left, cpu->base.threads == 1 ? "" : ", or use fewer --threads");
    cpu_model_name(name, sizeof name);
    snprintf(cpu->base.description, sizeof cpu->base.description,
             "CPU, %d thread%s per rank, %s%s%s", cpu->base.threads,
             cpu->base.threads == 1 ? "" : "s", name, portable ? ", portable: " : "",
             portable ? portable : "");
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    omp_set_dynamic(0);
    OBSERVE(device, "cpu", local_rank, local_size, cores, -1);
    return &cpu->base;
}
