/* ptx_machine.h: what the interpreter's files share: a kernel's instructions, a block's state. */
#ifndef PTX_MACHINE_H
#define PTX_MACHINE_H
#include "ptx.h"
#include <map>
#include <set>
#include <string.h>
#include <string>
#include <vector>

enum { WARP = 32, OPERANDS = 14 };

/* A register, a constant or a special register: all have a slot among a thread's 64-bit registers.
 * A value of fewer bits is kept in the lowest, the others are zero. */
struct Operand {
    int slot = 0;
    int64_t offset = 0; /* of an address */
};

/* A register's lowest bits as a value, and back. */
template <class T> static inline T as(uint64_t bits)
{
    T x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
template <class T> static inline uint64_t bits(T x)
{
    uint64_t b = 0;
    memcpy(&b, &x, sizeof x);
    return b;
}

/* Computes one thread's registers. */
typedef void Compute(uint64_t *r, const Operand *o);

enum Kind { COMPUTE, LOAD, STORE, ATOMIC, COPY, COPIES_DONE, FENCE, BARRIER, BRANCH, END, OF_WARP };
enum Space { GLOBAL, SHARED, PARAMETERS };

struct Instruction {
    Kind kind = END;
    Compute *compute = NULL;
    int guard = -1; /* the slot of the predicate that it depends on */
    bool unless = false;
    Space space = GLOBAL;
    int bytes = 0, count = 1; /* of an access: of each value, values */
    bool is_signed = false;
    int target = -1; /* of a branch */
    int operands = 0;
    Operand o[OPERANDS];
    std::string text;
};

struct Parameter {
    size_t at, bytes;
};

struct PtxKernel {
    std::string name;
    std::vector<Instruction> code;
    std::vector<uint64_t> registers;    /* at the start; slot 0 is nobody's */
    std::map<std::string, int> special; /* %tid.x …: their slots */
    std::vector<Parameter> parameters;
    size_t parameter_bytes = 0, shared_bytes = 0;
    std::vector<std::pair<size_t, size_t>> variables; /* in shared memory: from, to */
    unsigned most_threads = 1024;
    uint64_t launches = 0, threads = 0, executed = 0, accesses = 0, bytes = 0;
};

/* What an instruction's name means: fills in everything but the operands; false: not known. */
bool ptx_meaning(const std::string &name, Instruction &i);

struct Finding {
    std::string text;
};

struct Block;
struct Thread {
    enum State { RUNS, AT_BARRIER, AT_WARP, DONE } state;
    unsigned index; /* in the block */
    int pc;
    uint64_t *r;
    struct Copy {
        char *to;
        const char *from;
        size_t bytes; /* of 16; the rest is zero */
    };
    std::vector<Copy> copies; /* begun, and not waited for */
};

/* Who was at a byte last, and in which interval between barriers. */
struct Visit {
    uint32_t block = 0, interval = 0; /* block + 1 */
    uint16_t thread = 0;
};
struct Shadow {
    uint32_t launch = 0;
    bool written = false, copying = false;
    Visit write, read;
};
enum { SEVERAL = 0xffff }; /* threads; blocks: UINT32_MAX */

struct Block {
    PtxKernel *k;
    const char *parameters;
    PtxGrid grid;
    unsigned index;
    uint32_t interval = 0;
    std::vector<char> shared;
    std::vector<Shadow> shadow; /* of shared memory */
    std::vector<Thread> threads;
    std::vector<uint64_t> registers;
    bool fenced = false;                /* since the last atomic increment */
    std::set<uint32_t> counted, behind; /* blocks whose increments were seen; and fenced since */
};

/* ptx_memory.cpp: where an access may go; throws a Finding. `index`: of the thread. */
enum Access { READ, WRITE, NOT_YET /* a copy that begins */, UNNOTED /* atomic */ };
char *ptx_place(Block &b, unsigned index, Space space, uint64_t address, size_t bytes,
                Access access);
void ptx_begin_launch(void);
void ptx_increment(Block &b, uint32_t *count, uint32_t most, uint32_t *old);
void ptx_fence(Block &b);
#endif
