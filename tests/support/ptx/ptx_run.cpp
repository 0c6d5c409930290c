/* ptx_run.cpp: a launch: blocks one after the other, in each its threads, from barrier to
 * barrier. */
#include "ptx_machine.h"
#include <numeric>

/* ---- instructions of a warp: lanes[l] are its threads' registers. A register of a fragment holds
 * two values of 16 bits; lane l has the group l / 4, and place l % 4 in it. ---- */
typedef uint64_t *Lanes[WARP];

static float widened(uint64_t half, bool is_bf16)
{
    return is_bf16 ? as<float>((half & 0xffff) << 16) : (float)as<_Float16>(half);
}

/* d [16, 8] = a [16, 16] b [16, 8] + c: operands 0 to 3, 4 to 7, 8 and 9, 10 to 13. */
static void multiply(Lanes lanes, const Instruction &i)
{
    bool is_bf16 = i.text.find(".bf16.") != std::string::npos;
    float a[16][16], b[16][8], d[WARP][4];
    for (int l = 0; l < WARP; l++)
        for (int part = 0; part < 2; part++) { /* of a register */
            int g = l / 4, at = 2 * (l % 4) + part;
            auto value = [&](int n) {
                return widened(lanes[l][i.o[n].slot] >> 16 * part, is_bf16);
            };
            for (int n = 0; n < 4; n++)
                a[g + n % 2 * 8][at + n / 2 * 8] = value(4 + n);
            for (int n = 0; n < 2; n++)
                b[at + n * 8][g] = value(8 + n);
        }
    for (int l = 0; l < WARP; l++)
        for (int n = 0; n < 4; n++) {
            int row = l / 4 + n / 2 * 8, column = 2 * (l % 4) + n % 2;
            d[l][n] = as<float>(lanes[l][i.o[10 + n].slot]);
            for (int k = 0; k < 16; k++)
                d[l][n] += a[row][k] * b[k][column];
        }
    for (int l = 0; l < WARP; l++)
        for (int n = 0; n < 4; n++)
            lanes[l][i.o[n].slot] = bits(d[l][n]);
}

/* Four matrices of 8 rows of 16 bytes; lane l has the address of row l % 8 of matrix l / 8. */
static void load_matrices(Block &b, unsigned first, Lanes lanes, const Instruction &i)
{
    bool turned = i.text.find(".trans.") != std::string::npos;
    uint16_t of[4][8][8];
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t at = lanes[l][i.o[4].slot] + (uint64_t)i.o[4].offset;
        memcpy(of[l / 8][l % 8], ptx_place(b, first + l, SHARED, at, 16, READ), 16);
    }
    for (int l = 0; l < WARP; l++)
        for (int m = 0; m < 4; m++) {
            int row = l / 4, pair = 2 * (l % 4);
            uint32_t low = turned ? of[m][pair][row] : of[m][row][pair],
                     high = turned ? of[m][pair + 1][row] : of[m][row][pair + 1];
            lanes[l][i.o[m].slot] = high << 16 | low;
        }
}

static void run_of_warp(Block &b, unsigned first, const Instruction &i)
{
    Lanes lanes;
    for (int l = 0; l < WARP; l++)
        lanes[l] = b.threads[first + l].r;
    if (i.text.find("mma") != std::string::npos)
        multiply(lanes, i);
    else
        load_matrices(b, first, lanes, i);
}

/* ---- accesses of one thread ---- */
static uint64_t address(const Thread &t, const Operand &o)
{
    return t.r[o.slot] + (uint64_t)o.offset;
}
static void count(Block &b, size_t bytes) { b.k->accesses++, b.k->bytes += bytes; }

static void load(Block &b, Thread &t, const Instruction &i)
{
    size_t bytes = (size_t)i.bytes * i.count;
    const char *from = ptx_place(b, t.index, i.space, address(t, i.o[i.count]), bytes, READ);
    if (i.space == GLOBAL)
        count(b, bytes);
    for (int n = 0; n < i.count; n++) {
        uint64_t value = 0;
        memcpy(&value, from + n * i.bytes, i.bytes);
        if (i.is_signed && i.bytes < 4) /* into 32 bits */
            value = (uint32_t)(i.bytes == 1 ? (int8_t)value : (int16_t)value);
        t.r[i.o[n].slot] = value;
    }
}
static void store(Block &b, Thread &t, const Instruction &i)
{
    size_t bytes = (size_t)i.bytes * i.count;
    char *to = ptx_place(b, t.index, i.space, address(t, i.o[0]), bytes, WRITE);
    if (i.space == GLOBAL)
        count(b, bytes);
    for (int n = 0; n < i.count; n++)
        memcpy(to + n * i.bytes, &t.r[i.o[1 + n].slot], i.bytes);
}
static void atomic(Block &b, Thread &t, const Instruction &i)
{
    uint32_t old, value = (uint32_t)t.r[i.o[2].slot];
    uint32_t *at = (uint32_t *)ptx_place(b, t.index, GLOBAL, address(t, i.o[1]), 4, UNNOTED);
    if (i.text.find(".inc.") != std::string::npos)
        ptx_increment(b, at, value, &old);
    else
        old = *at, *at |= value;
    t.r[i.o[0].slot] = old;
}

/* Reads and writes when it is waited for. */
static void begin_copy(Block &b, Thread &t, const Instruction &i)
{
    uint64_t from = address(t, i.o[1]);
    size_t bytes = i.operands > 3 ? (uint32_t)t.r[i.o[3].slot] : 16;
    char *to = ptx_place(b, t.index, SHARED, address(t, i.o[0]), 16, NOT_YET);
    if (bytes > 16 || from % 16)
        throw Finding{"a copy of more than 16 bytes, or from a misaligned address"};
    t.copies.push_back({to, (const char *)from, bytes});
}
static void end_copies(Block &b, Thread &t)
{
    for (auto &c : t.copies) {
        uint64_t to = (uint64_t)(c.to - b.shared.data());
        memset(ptx_place(b, t.index, SHARED, to, 16, WRITE), 0, 16);
        if (c.bytes) { /* 16, or fewer at a tensor's end */
            for (size_t n = 0; n < c.bytes; n++)
                c.to[n] = *ptx_place(b, t.index, GLOBAL, (uint64_t)c.from + n, 1, READ);
            count(b, c.bytes);
        }
    }
    t.copies.clear();
}

/* ---- threads ---- */

/* Until a barrier, an instruction of its warp, or its end. */
static void run_until(Block &b, Thread &t)
{
    const Instruction *code = b.k->code.data();
    for (uint64_t &n = b.k->executed;; n++) {
        const Instruction &i = code[t.pc];
        if (i.guard >= 0 && (t.r[i.guard] != 0) == i.unless) {
            t.pc++;
            continue;
        }
        switch (i.kind) {
        case COMPUTE: i.compute(t.r, i.o); break;
        case LOAD: load(b, t, i); break;
        case STORE: store(b, t, i); break;
        case ATOMIC: atomic(b, t, i); break;
        case COPY: begin_copy(b, t, i); break;
        case COPIES_DONE: end_copies(b, t); break;
        case FENCE: ptx_fence(b); break;
        case BRANCH: t.pc = i.target; continue;
        case OF_WARP: t.state = Thread::AT_WARP; return;
        case BARRIER: t.state = Thread::AT_BARRIER, t.pc++; return;
        case END: t.state = Thread::DONE; return;
        }
        t.pc++;
    }
}

static void run_thread(Block &b, Thread &t)
{
    try {
        run_until(b, t);
    } catch (const Finding &f) {
        throw Finding{f.text + ": " + b.k->code[t.pc].text};
    }
}

/* All lanes until a barrier or their end. */
static void run_warp(Block &b, unsigned first, bool backwards)
{
    unsigned lanes = std::min<unsigned>(WARP, b.grid.threads - first);
    for (;;) {
        unsigned waiting = 0;
        int pc = -1;
        for (unsigned l = 0; l < lanes; l++) {
            Thread &t = b.threads[first + (backwards ? lanes - 1 - l : l)];
            if (t.state == Thread::RUNS)
                run_thread(b, t);
            if (t.state == Thread::AT_WARP)
                waiting++, pc = t.pc;
        }
        if (!waiting)
            return;
        for (unsigned l = 0; l < lanes; l++) {
            Thread &t = b.threads[first + l];
            if (waiting != WARP || t.pc != pc)
                throw Finding{"an instruction of a warp that not all of its threads reach: " +
                              b.k->code[pc].text};
            t.pc++, t.state = Thread::RUNS;
        }
        run_of_warp(b, first, b.k->code[pc]);
    }
}

static void run_block(Block &b, bool backwards)
{
    unsigned warps = (b.grid.threads + WARP - 1) / WARP;
    for (;;) {
        b.interval++;
        for (unsigned w = 0; w < warps; w++)
            run_warp(b, WARP * (backwards ? warps - 1 - w : w), backwards);
        unsigned waiting = 0;
        for (auto &t : b.threads)
            waiting += t.state == Thread::AT_BARRIER;
        if (!waiting)
            return;
        for (auto &t : b.threads) {
            if (waiting != b.grid.threads || t.pc != b.threads[0].pc)
                throw Finding{"a barrier that not all threads of a block reach"};
            t.state = Thread::RUNS;
        }
    }
}

/* ---- a launch ---- */
static void begin_block(Block &b, unsigned index)
{
    PtxKernel &k = *b.k;
    b.index = index;
    b.interval = 0, b.fenced = false;
    b.counted.clear(), b.behind.clear();
    b.shared.assign(k.shared_bytes, '\xa5');
    b.shadow.assign(k.shared_bytes, Shadow());
    std::map<std::string, uint64_t> special = {{"%ntid.x", b.grid.threads},
                                               {"%nctaid.x", b.grid.blocks_x},
                                               {"%nctaid.y", b.grid.blocks_y},
                                               {"%ctaid.x", index % b.grid.blocks_x},
                                               {"%ctaid.y", index / b.grid.blocks_x},
                                               {"%tid.x", 0}};
    for (auto &s : k.special)
        if (!special.count(s.first))
            throw Finding{"a special register that is not known: " + s.first};
        else
            k.registers[s.second] = special[s.first];
    size_t each = k.registers.size();
    b.registers.resize(each * b.grid.threads);
    b.threads.resize(b.grid.threads);
    auto tid = k.special.find("%tid.x");
    for (unsigned t = 0; t < b.grid.threads; t++) {
        uint64_t *r = &b.registers[each * t];
        std::copy(k.registers.begin(), k.registers.end(), r);
        if (tid != k.special.end())
            r[tid->second] = t;
        b.threads[t] = {Thread::RUNS, t, 0, r, {}};
    }
}

static void run_blocks(Block &b)
{
    PtxKernel &k = *b.k;
    PtxGrid g = b.grid;
    uint64_t blocks = (uint64_t)g.blocks_x * g.blocks_y;
    if (!blocks || g.blocks_y > 65535 || !g.threads || g.threads > k.most_threads ||
        k.shared_bytes > 48 << 10 || k.parameter_bytes > 4096)
        throw Finding{"a launch beyond the limits"};
    k.launches++, k.threads += blocks * g.threads;
    ptx_begin_launch();
    /* forwards, backwards, or here and there */
    unsigned order = ptx_draw(3), backwards = ptx_draw(2);
    uint64_t step = order == 0 ? 1 : order == 1 ? blocks - 1 : blocks * 5 / 8 + 1;
    while (std::gcd(step, blocks) > 1)
        step++;
    uint64_t at = order == 1 ? blocks - 1 : 0;
    for (uint64_t n = 0; n < blocks; n++, at = (at + step) % blocks) {
        begin_block(b, (unsigned)at);
        run_block(b, backwards);
    }
}

void ptx_run(PtxKernel *k, PtxGrid grid, const void *parameters)
{
    Block b;
    b.k = k, b.parameters = (const char *)parameters, b.grid = grid;
    try {
        run_blocks(b);
    } catch (const Finding &f) {
        ptx_wrong((k->name + ": " + f.text).c_str());
    }
}
