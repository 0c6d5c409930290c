/* ptx_test.cpp: the interpreter by itself (tests/e2e/cuda_ptx.sh): instructions on chosen values,
 * as NVIDIA's "Parallel Thread Execution ISA" defines them; and each finding, by a kernel that has
 * it, beside kernels that have none. */
#include "ptx.h"
#include <stdio.h>
#include <string.h>
#include <string>
#include <vector>

static std::string found;
static uint32_t memory[1024]; /* the only piece of global memory */
static int failed, tried;

extern "C" unsigned ptx_draw(unsigned sides)
{
    static unsigned state = 1;
    state = state * 1103515245 + 12345;
    return (state >> 16) % sides;
}
extern "C" void ptx_wrong(const char *what) { found = what; }
extern "C" int ptx_piece(const void *p, size_t bytes, char **start, size_t *size)
{
    *start = (char *)memory, *size = sizeof memory;
    return (char *)p >= *start && (char *)p + bytes <= *start + *size;
}

/* A kernel k(memory) with a shared array `s` of 128 words; %rd1: memory, %r1: the thread, %r2: its
 * place in s, %rd2: its place in memory. */
static void run(const std::string &body, PtxGrid grid)
{
    std::string text = ".visible .entry k(.param .u64 k_0)\n.maxntid 256, 1, 1\n{\n"
                       ".shared .align 16 .b8 s[512];\n"
                       "ld.param.u64 %rd1, [k_0];\ncvta.to.global.u64 %rd1, %rd1;\n"
                       "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\n"
                       "add.s32 %r2, %r2, %r3;\nmul.wide.u32 %rd2, %r1, 4;\n"
                       "add.s64 %rd2, %rd2, %rd1;\n" +
                       body + "\nret;\n}\n";
    found.clear();
    ptx_read(text.c_str());
    PtxKernel *k = ptx_kernel("k");
    uint64_t at = (uint64_t)memory;
    void *arguments[] = {&at};
    std::vector<char> packed(ptx_parameter_bytes(k));
    ptx_pack(k, arguments, packed.data());
    ptx_run(k, grid, packed.data());
}

static void check(bool right, const std::string &what)
{
    tried++;
    if (!right)
        printf("FAIL  %s (%s)\n", what.c_str(), found.c_str()), failed++;
}

/* ---- instructions: d = name a, b, c, of `in` bits, into `out` bits ---- */
static const struct Case {
    const char *name;
    int in, out;
    uint64_t a, b, c, d;
} cases[] = {
    {"add.s32", 32, 32, 0x7fffffff, 1, 0, 0x80000000},
    {"sub.s64", 64, 64, 0, 1, 0, ~0ull},
    {"mul.lo.s32", 32, 32, 0xffffffff, 7, 0, 0xfffffff9},
    {"mul.hi.s32", 32, 32, 0xffffffff, 7, 0, 0xffffffff},
    {"mul.hi.u32", 32, 32, 0xffffffff, 7, 0, 6},
    {"mul.wide.s32", 32, 64, 0xffffffff, 7, 0, 0xfffffffffffffff9},
    {"mul.wide.u32", 32, 64, 0xffffffff, 7, 0, 0x6fffffff9},
    {"mad.lo.s32", 32, 32, 3, 5, 0xfffffff0, 0xffffffff},
    {"div.s32", 32, 32, 0xfffffff9, 2, 0, 0xfffffffd},
    {"div.u32", 32, 32, 0xfffffff9, 2, 0, 0x7ffffffc},
    {"rem.s32", 32, 32, 0xfffffff9, 2, 0, 0xffffffff},
    {"rem.u64", 64, 64, 23, 7, 0, 2},
    {"min.s32", 32, 32, 0xffffffff, 1, 0, 0xffffffff},
    {"min.u64", 64, 64, ~0ull, 1, 0, 1},
    {"neg.s32", 32, 32, 5, 0, 0, 0xfffffffb},
    {"shl.b32", 32, 32, 0x80000001, 1, 0, 2},
    {"shl.b32", 32, 32, 1, 32, 0, 0},
    {"shr.s32", 32, 32, 0x80000000, 31, 0, 0xffffffff},
    {"shr.s32", 32, 32, 0x80000000, 40, 0, 0xffffffff},
    {"shr.u32", 32, 32, 0x80000000, 31, 0, 1},
    {"and.b32", 32, 32, 12, 10, 0, 8},
    {"or.b64", 64, 64, 12, 10, 0, 14},
    {"xor.b32", 32, 32, 12, 10, 0, 6},
    {"not.b32", 32, 32, 12, 0, 0, 0xfffffff3},
    {"prmt.b32", 32, 32, 0x33221100, 0x77665544, 0x7604, 0x77660044},
    {"prmt.b32", 32, 32, 0x00008000, 0, 0x9999, 0xffffffff},    /* a sign, repeated */
    {"add.f32", 32, 32, 0x3f800000, 0x33800000, 0, 0x3f800000}, /* 1 + 2^-24: to even */
    {"add.rz.f32", 32, 32, 0x3f800000, 0x33c00000, 0, 0x3f800000},
    {"fma.rn.f32", 32, 32, 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000}, /* one rounding */
    {"fma.rm.f32", 32, 32, 0x3f800000, 0x3f800000, 0xa0000000, 0x3f7fffff}, /* down */
    {"fma.rn.f64", 64, 64, 0x4000000000000000, 0x4008000000000000, 0x3ff0000000000000,
     0x401c000000000000},
    {"div.rn.f32", 32, 32, 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
    {"rcp.rn.f32", 32, 32, 0x40400000, 0, 0, 0x3eaaaaab},
    {"sqrt.rn.f32", 32, 32, 0x40000000, 0, 0, 0x3fb504f3},
    {"ex2.approx.ftz.f32", 32, 32, 0x40400000, 0, 0, 0x41000000},
    {"ex2.approx.ftz.f32", 32, 32, 0xc3000000, 0, 0, 0},        /* 2^-128 is denormal */
    {"max.f32", 32, 32, 0x7fc00000, 0x3f800000, 0, 0x3f800000}, /* not NaN */
    {"copysign.f32", 32, 32, 0x80000000, 0x3f800000, 0, 0xbf800000},
    {"abs.f32", 32, 32, 0xbf800000, 0, 0, 0x3f800000},
    {"cvt.sat.f32.f32", 32, 32, 0x7fc00000, 0, 0, 0},
    {"cvt.sat.f32.f32", 32, 32, 0x40000000, 0, 0, 0x3f800000},
    {"cvt.rmi.f32.f32", 32, 32, 0xbf000000, 0, 0, 0xbf800000},
    {"cvt.rzi.u64.f32", 32, 64, 0xbf800000, 0, 0, 0},
    {"cvt.rzi.s32.f32", 32, 32, 0xc0200000, 0, 0, 0xfffffffe},
    {"cvt.rzi.s32.f32", 32, 32, 0x50000000, 0, 0, 0x7fffffff},
    {"cvt.s64.s32", 32, 64, 0xffffffff, 0, 0, ~0ull},
    {"cvt.u64.u32", 32, 64, 0xffffffff, 0, 0, 0xffffffff},
    {"cvt.u32.u64", 64, 32, 0x123456789, 0, 0, 0x23456789},
    {"cvt.s32.s16", 32, 32, 0x18000, 0, 0, 0xffff8000},
    {"cvt.rn.f32.s32", 32, 32, 0x01000001, 0, 0, 0x4b800000},
    {"cvt.rn.f32.u32", 32, 32, 0xffffffff, 0, 0, 0x4f800000},
    {"cvt.f64.f32", 32, 64, 0x3f800000, 0, 0, 0x3ff0000000000000},
    {"cvt.rn.f32.f64", 64, 32, 0x3ff0000010000000, 0, 0, 0x3f800000},
    {"cvt.f32.f16", 32, 32, 0x3555, 0, 0, 0x3eaaa000},
    {"cvt.rn.f16.f32", 32, 32, 0x477ff000, 0, 0, 0x7c00},  /* 65,520: infinite */
    {"cvt.rn.bf16.f32", 32, 32, 0x3f808000, 0, 0, 0x3f80}, /* to even */
    {"cvt.rn.bf16.f32", 32, 32, 0x3f818000, 0, 0, 0x3f82},
};

/* setp's name; a and b; holds it? */
static const struct {
    const char *name;
    uint32_t a, b;
    uint32_t holds;
} comparisons[] = {{"lt.s32", 0xffffffff, 0, 1},
                   {"lt.u32", 0xffffffff, 0, 0},
                   {"ge.s32", 3, 3, 1},
                   {"gt.u32", 4, 3, 1},
                   {"ne.s32", 4, 3, 1},
                   {"eq.f32", 0x80000000, 0, 1},
                   {"lt.f32", 0x7fc00000, 0, 0},
                   {"ltu.f32", 0x7fc00000, 0, 1},
                   {"ne.f32", 0x7fc00000, 0x7fc00000, 0},
                   {"neu.f32", 0x7fc00000, 0x7fc00000, 1},
                   {"leu.f32", 0x40000000, 0x3f800000, 0},
                   {"nan.f32", 0, 0x7fc00000, 1},
                   {"num.f32", 0, 0x3f800000, 1}};

static void check_instructions(void)
{
    for (auto &c : cases) {
        uint64_t in[3] = {c.a, c.b, c.c}, d = 0;
        memcpy(memory, in, sizeof in);
        std::string load = "ld.global.u" + std::to_string(c.in),
                    operands = c.in == 64 ? "%rd3, %rd4, %rd5" : "%r3, %r4, %r5",
                    result = c.out == 64 ? "%rd6" : "%r6", body;
        if (std::string(c.name).compare(0, 2, "sh") == 0)
            operands = "%r3, %r4";
        for (int i = 0; i < 3; i++)
            body += load + (c.in == 64 ? " %rd" : " %r") + std::to_string(3 + i) + ", [%rd1+" +
                    std::to_string(8 * i) + "];\n";
        body += std::string(c.name) + " " + result + ", " + operands + ";\nst.global.u" +
                std::to_string(c.out) + " [%rd1], " + result + ";";
        run(body, {1, 1, 1});
        memcpy(&d, memory, c.out / 8);
        char got[32];
        snprintf(got, sizeof got, ": %#llx", (unsigned long long)d);
        check(found.empty() && d == c.d, c.name + std::string(got));
    }
    for (auto &c : comparisons) {
        memory[0] = c.a, memory[1] = c.b;
        run(std::string("ld.global.v2.u32 {%r3, %r4}, [%rd1];\nsetp.") + c.name +
                " %p1, %r3, %r4;\nselp.u32 %r5, 1, 0, %p1;\n@!%p1 add.s32 %r5, %r5, 8;\n"
                "st.global.u32 [%rd1], %r5;",
            {1, 1, 1});
        check(found.empty() && memory[0] == (c.holds ? 1 : 8), std::string("setp.") + c.name);
    }
    memory[0] = 0x22221111;
    run("ld.global.u32 %r3, [%rd1];\nmov.b32 {%rs1, %rs2}, %r3;\nmov.b32 %r4, {%rs2, %rs1};\n"
        "st.global.u32 [%rd1], %r4;\n{ .reg .b32 t; bra.uni $end; }\nst.global.u32 [%rd1], "
        "7;\n$end:",
        {1, 1, 1});
    check(memory[0] == 0x11112222, "mov of halves, a branch");
}

/* ---- findings ---- */
static const struct {
    const char *what; /* part of the message; "": none */
    PtxGrid grid;
    const char *body;
} findings[] = {
    {"misaligned address", {1, 1, 1}, "ld.global.u32 %r3, [%rd1+2];"},
    {"global memory out of bounds", {1, 1, 1}, "ld.global.u32 %r3, [%rd1+4096];"},
    {"global memory out of bounds", {1, 1, 1}, "mov.u64 %rd3, 64; st.global.u32 [%rd3], 1;"},
    {"shared memory out of bounds", {1, 1, 256}, "st.shared.u32 [%r2], 1;"},
    {"parameters out of bounds", {1, 1, 1}, "ld.param.u64 %rd3, [k_0+8];"},
    {"read before it is written", {1, 1, 1}, "ld.shared.u32 %r4, [%r2];"},
    {"division by zero", {1, 1, 1}, "mov.u32 %r4, 0; div.u32 %r4, %r1, %r4;"},
    {"a launch beyond the limits", {1, 1, 512}, ""},
    {"a launch beyond the limits", {1, 70000, 1}, ""},
    /* between barriers */
    {"",
     {1, 1, 64},
     "st.shared.u32 [%r2], 1; ld.shared.u32 %r4, [%r2]; st.global.u32 [%rd2], %r4;"},
    {"writes what was written by thread", {1, 1, 64}, "st.shared.u32 [s], %r1;"},
    {"a race",
     {1, 1, 64},
     "st.shared.u32 [%r2], 1; bar.sync 0; st.shared.u32 [%r2], 2; xor.b32 %r4, %r2, 4;"
     "ld.shared.u32 %r5, [%r4];"},
    {"",
     {1, 1, 64},
     "st.shared.u32 [%r2], 1; bar.sync 0; xor.b32 %r4, %r2, 4; ld.shared.u32 %r5, [%r4];"},
    {"a race",
     {1, 1, 64},
     "st.shared.u32 [%r2], 1; bar.sync 0; xor.b32 %r4, %r2, 4; ld.shared.u32 %r5, [%r4];"
     "st.shared.u32 [%r2], 2;"},
    {"writes what was written by thread", {1, 1, 2}, "st.global.u32 [%rd1], %r1;"},
    /* between blocks */
    {"writes what was written by thread 0 of block", {2, 1, 1}, "st.global.u32 [%rd1], %r1;"},
    {"a race",
     {2, 1, 1},
     "mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd3, %rd1;"
     "st.global.u32 [%rd3], 1; ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1+4];"},
    /* the last block reads what the others wrote, behind a fence */
    {"",
     {3, 1, 1},
     "mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd3, %rd1;"
     "st.global.u32 [%rd3], 1; membar.gl; atom.global.inc.u32 %r5, [%rd1+64], 2; membar.gl;"
     "setp.ne.s32 %p1, %r5, 2; @%p1 bra $end; ld.global.u32 %r6, [%rd1]; ld.global.u32 %r6, "
     "[%rd1+8]; $end:"},
    {"reads what was written by thread 0 of block",
     {3, 1, 1},
     "mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd3, %rd1;"
     "st.global.u32 [%rd3], 1; membar.gl; atom.global.inc.u32 %r5, [%rd1+64], 2;"
     "setp.ne.s32 %p1, %r5, 2; @%p1 bra $end; ld.global.u32 %r6, [%rd1]; ld.global.u32 %r6, "
     "[%rd1+4]; ld.global.u32 %r6, [%rd1+8]; $end:"},
    {"no fence before an atomic increment", {1, 1, 1}, "atom.global.inc.u32 %r5, [%rd1+64], 2;"},
    /* together */
    {"a barrier that not all threads of a block reach",
     {1, 1, 64},
     "setp.lt.u32 %p1, %r1, 7; @%p1 bar.sync 0;"},
    {"a barrier that not all threads of a block reach",
     {1, 1, 64},
     "setp.lt.u32 %p1, %r1, 7; @%p1 bra $other; bar.sync 0; bra $end; $other: bar.sync 0; $end:"},
    {"an instruction of a warp that not all of its threads reach",
     {1, 1, 64},
     "st.shared.u32 [%r2], 1; bar.sync 0; and.b32 %r4, %r2, 496; add.s32 %r4, %r4, 16;"
     "setp.lt.u32 %p1, %r1, 40;"
     "@%p1 ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5,%r6,%r7,%r8}, [%r3];"},
    {"",
     {1, 1, 64},
     "st.shared.u32 [%r2], 1; bar.sync 0;"
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5,%r6,%r7,%r8}, [%r3];"},
    /* copies */
    {"",
     {1, 1, 1},
     "cp.async.cg.shared.global [%r3], [%rd1], 16; cp.async.wait_all; ld.shared.u32 %r4, [%r3];"},
    {"while a copy into it is in flight",
     {1, 1, 1},
     "cp.async.cg.shared.global [%r3], [%rd1], 16; ld.shared.u32 %r4, [%r3]; cp.async.wait_all;"},
    {"a race",
     {1, 1, 2},
     "setp.ne.s32 %p1, %r1, 0; @!%p1 st.shared.v4.u32 [%r3], {%r1,%r1,%r1,%r1}; bar.sync 0;"
     "@!%p1 cp.async.cg.shared.global [%r3], [%rd1], 16;"
     "cp.async.wait_all; @%p1 ld.shared.u32 %r4, [%r3];"},
    {"misaligned", {1, 1, 1}, "cp.async.cg.shared.global [%r3], [%rd1+4], 16; cp.async.wait_all;"}};

/* d = a b + c with a_rk = r + k, and b_kc = 1 where k = c: so d_rc = r + c + c_rc. The fragments'
 * places are those of the manual's figures for m16n8k16. */
static void check_product(void)
{
    std::string body = "shr.u32 %r4, %r1, 2; and.b32 %r5, %r1, 3; shl.b32 %r5, %r5, 1;";
    auto half = [&](const char *to,
                    const char *value) { /* of an integer */
                                         body += std::string("cvt.rn.f32.u32 %f1, ") + value +
                                                 "; cvt.rn.f16.f32 " + to + ", %f1;";
    };
    for (int n = 0; n < 4; n++) { /* a: row g + 8 (n odd), columns 2 p and 2 p + 1, + 8 (n > 1) */
        std::string add = std::to_string(n % 2 * 8 + n / 2 * 8);
        body += "add.s32 %r6, %r4, %r5; add.s32 %r6, %r6, " + add + ";";
        half("%rs1", "%r6");
        body += "add.s32 %r6, %r6, 1;";
        half("%rs2", "%r6");
        body += "mov.b32 %r1" + std::to_string(n) + ", {%rs1, %rs2};";
    }
    for (int n = 0; n < 2; n++) { /* b: rows 2 p and 2 p + 1, + 8 (n = 1), column g */
        for (int part = 0; part < 2; part++) {
            body += "add.s32 %r6, %r5, " + std::to_string(8 * n + part) +
                    "; setp.eq.s32 %p1, %r6, %r4; selp.u32 %r6, 1, 0, %p1;";
            half(part ? "%rs2" : "%rs1", "%r6");
        }
        body += "mov.b32 %r2" + std::to_string(n) + ", {%rs1, %rs2};";
    }
    body += "mov.f32 %f5, 0f3f800000;"
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "
            "{%r10,%r11,%r12,%r13}, {%r20,%r21}, {%f5,%f5,%f5,%f5};"
            "shl.b32 %r6, %r1, 4; cvt.u64.u32 %rd3, %r6; add.s64 %rd3, %rd3, %rd1;"
            "st.global.v4.f32 [%rd3], {%f1,%f2,%f3,%f4};";
    run(body, {1, 1, 32});
    bool right = found.empty();
    for (int l = 0; l < 32; l++)
        for (int n = 0; n < 4; n++) {
            float d, row = l / 4 + n / 2 * 8, column = 2 * (l % 4) + n % 2;
            memcpy(&d, &memory[4 * l + n], sizeof d);
            right &= d == row + column + 1;
        }
    check(right, "mma");
}

int main(void)
{
    check_instructions();
    check_product();
    for (auto &f : findings)
        for (int again = 0; again < 3; again++) { /* in other orders */
            memset(memory, 0, sizeof memory);
            run(f.body, f.grid);
            check(*f.what ? found.find(f.what) != std::string::npos : found.empty(),
                  std::string("expected '") + f.what + "': " + f.body);
        }
    printf("%d of the interpreter's cases tried, %d failed\n", tried, failed);
    return failed != 0 || tried < 100;
}
