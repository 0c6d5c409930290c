/* ptx_table.cpp: what each PTX instruction computes (NVIDIA: "Parallel Thread Execution ISA"). */
#include "ptx_machine.h"
#include <cfenv>
#include <limits>
#include <math.h>
#include <type_traits>

typedef std::map<std::string, Compute *> Table;

/* ---- values in registers ---- */
template <> bool as<bool>(uint64_t b) { return b != 0; }

/* name: d = expression, of a, b and c of type T. */
#define DEFINE(table, name, T, expression) \
    table[name] = [](uint64_t *r, const Operand *o) { \
        [[maybe_unused]] const T a = as<T>(r[o[1].slot]), b = as<T>(r[o[2].slot]), \
                                 c = as<T>(r[o[3].slot]); \
        r[o[0].slot] = bits(expression); \
    }

/* ---- integers ---- */
template <class T> static T divide(T a, T b)
{
    if (b == 0)
        throw Finding{"a division by zero"};
    return (T)(a / b);
}
template <class T> static T rest(T a, T b) { return (T)(a - divide(a, b) * b); }

template <class T> static void integers(Table &t, const std::string &type)
{
    typedef typename std::make_unsigned<T>::type U; /* wraps around */
    enum { BITS = 8 * sizeof(T) };
    DEFINE(t, "add." + type, U, (U)(a + b));
    DEFINE(t, "sub." + type, U, (U)(a - b));
    DEFINE(t, "mul.lo." + type, U, (U)((uint64_t)a * b));
    DEFINE(t, "mad.lo." + type, U, (U)((uint64_t)a * b + c));
    DEFINE(t, "neg." + type, U, (U)(0 - a));
    DEFINE(t, "div." + type, T, divide(a, b));
    DEFINE(t, "rem." + type, T, rest(a, b));
    DEFINE(t, "min." + type, T, a < b ? a : b);
    DEFINE(t, "max." + type, T, a > b ? a : b);
    DEFINE(t, "abs." + type, T, (T)(a < T() ? 0 - (U)a : (U)a));
    /* Shifts by 32 bits of b; by too many: as by all. */
    t["shr." + type] = [](uint64_t *r, const Operand *o) {
        uint32_t by = (uint32_t)r[o[2].slot];
        T a = as<T>(r[o[1].slot]);
        bool negative = a < T();
        r[o[0].slot] = bits(by < BITS ? (T)(a >> by) : negative ? (T)-1 : T());
    };
}

template <class T, class Wide> static void products(Table &t, const std::string &type)
{
    enum { BITS = 8 * sizeof(T) };
    DEFINE(t, "mul.wide." + type, T, (Wide)a * (Wide)b);
    DEFINE(t, "mul.hi." + type, T, (T)((Wide)a * (Wide)b >> BITS));
}

template <class U> static void patterns(Table &t, const std::string &type)
{
    DEFINE(t, "and." + type, U, (U)(a & b));
    DEFINE(t, "or." + type, U, (U)(a | b));
    DEFINE(t, "xor." + type, U, (U)(a ^ b));
    DEFINE(t, "not." + type, U, (U)~a);
    t["shl." + type] = [](uint64_t *r, const Operand *o) {
        uint32_t by = (uint32_t)r[o[2].slot];
        r[o[0].slot] = bits((U)(by >= 8 * sizeof(U) ? 0 : as<U>(r[o[1].slot]) << by));
    };
}

/* ---- what every type has ---- */
template <class T> static void moves(Table &t, const std::string &type)
{
    DEFINE(t, "mov." + type, T, a);
    t["selp." + type] = [](uint64_t *r, const Operand *o) {
        r[o[0].slot] = bits(as<T>(r[r[o[3].slot] ? o[1].slot : o[2].slot]));
    };
}

template <class T> static void comparisons(Table &t, const std::string &type)
{
    DEFINE(t, "setp.eq." + type, T, a == b);
    DEFINE(t, "setp.lt." + type, T, a < b);
    DEFINE(t, "setp.le." + type, T, a <= b);
    DEFINE(t, "setp.gt." + type, T, a > b);
    DEFINE(t, "setp.ge." + type, T, a >= b);
    DEFINE(t, "setp.ne." + type, T, a < b || a > b); /* false with NaN */
}

/* ---- floating point, rounded to nearest unless the name says otherwise ---- */
template <class F> static F rounded(int direction, F (*f)(F, F, F), F a, F b, F c)
{
    int before = fegetround();
    fesetround(direction);
    volatile F x = a, y = b, z = c;
    volatile F result = f(x, y, z);
    fesetround(before);
    return result;
}
template <class F> static F sum_of(F a, F b, F) { return a + b; }
template <class F> static F fma_of(F a, F b, F c) { return std::fma(a, b, c); }

template <class F> static void floats(Table &t, const std::string &type)
{
    DEFINE(t, "add." + type, F, a + b);
    DEFINE(t, "sub." + type, F, a - b);
    DEFINE(t, "mul." + type, F, a * b);
    DEFINE(t, "neg." + type, F, -a);
    DEFINE(t, "abs." + type, F, (F)fabs(a));
    DEFINE(t, "min." + type, F, (F)fmin(a, b));
    DEFINE(t, "max." + type, F, (F)fmax(a, b));
    DEFINE(t, "copysign." + type, F, (F)copysign(b, a)); /* a's sign */
    DEFINE(t, "fma.rn." + type, F, std::fma(a, b, c));
    DEFINE(t, "fma.rm." + type, F, rounded<F>(FE_DOWNWARD, fma_of<F>, a, b, c));
    DEFINE(t, "add.rz." + type, F, rounded<F>(FE_TOWARDZERO, sum_of<F>, a, b, c));
    DEFINE(t, "div.rn." + type, F, a / b);
    DEFINE(t, "rcp.rn." + type, F, 1 / a);
    DEFINE(t, "sqrt.rn." + type, F, (F)sqrt(a));
    const struct {
        const char *name;
        Compute *compute;
    } unordered[] = {
#define EITHER(op) \
    [](uint64_t *r, const Operand *o) { \
        F a = as<F>(r[o[1].slot]), b = as<F>(r[o[2].slot]); \
        r[o[0].slot] = std::isnan(a) || std::isnan(b) || a op b; \
    }
        {"equ", EITHER(==)}, {"neu", EITHER(!=)}, {"ltu", EITHER(<)},
        {"leu", EITHER(<=)}, {"gtu", EITHER(>)},  {"geu", EITHER(>=)}};
    for (auto &u : unordered)
        t[std::string("setp.") + u.name + "." + type] = u.compute;
    DEFINE(t, "setp.nan." + type, F, std::isnan(a) || std::isnan(b));
    DEFINE(t, "setp.num." + type, F, !std::isnan(a) && !std::isnan(b));
}

/* ---- conversions ---- */
static uint16_t bf16_of(float x)
{
    uint32_t b = as<uint32_t>(bits(x));
    if (std::isnan(x))
        return 0x7fff;
    return (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
static float of_bf16(uint16_t h) { return as<float>((uint64_t)h << 16); }

/* Out of range: the nearest value; NaN: 0. */
template <class T, class F> static T cut(F x)
{
    if (std::isnan(x))
        return 0;
    if (x >= (F)std::numeric_limits<T>::max())
        return std::numeric_limits<T>::max();
    return x <= (F)std::numeric_limits<T>::min() ? std::numeric_limits<T>::min() : (T)x;
}

template <class To, class From> static void convert(Table &t, const std::string &names)
{
    DEFINE(t, "cvt." + names, From, (To)a);
}
template <class From> static void convert_integer(Table &t, const std::string &from)
{
    convert<int16_t, From>(t, "s16." + from);
    convert<uint16_t, From>(t, "u16." + from);
    convert<int32_t, From>(t, "s32." + from);
    convert<uint32_t, From>(t, "u32." + from);
    convert<int64_t, From>(t, "s64." + from);
    convert<uint64_t, From>(t, "u64." + from);
    convert<float, From>(t, "rn.f32." + from);
    convert<double, From>(t, "rn.f64." + from);
}
template <class From> static void convert_float(Table &t, const std::string &from)
{
    DEFINE(t, "cvt.rzi.s32." + from, From, cut<int32_t>(a));
    DEFINE(t, "cvt.rzi.u32." + from, From, cut<uint32_t>(a));
    DEFINE(t, "cvt.rzi.s64." + from, From, cut<int64_t>(a));
    DEFINE(t, "cvt.rzi.u64." + from, From, cut<uint64_t>(a));
    DEFINE(t, "cvt.rmi." + from + "." + from, From, std::floor(a));
    DEFINE(t, "cvt.sat." + from + "." + from, From,
           a > 0 ? a < 1 ? a : (From)1 : (From)0); /* NaN: 0 */
}

/* ---- the rest ---- */
static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

/* Four bytes of a and b, chosen by four hexadecimal digits of c. */
static uint32_t permuted(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t all = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t digit = c >> 4 * i & 15, byte = all >> 8 * (digit & 7) & 255;
        if (digit & 8) /* its sign, eight times */
            byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

/* mov with a list: a register's halves, the first lowest. */
template <class Half> static void halves(Table &t, const std::string &type)
{
    t["unpack." + type] = [](uint64_t *r, const Operand *o) {
        uint64_t all = r[o[2].slot];
        r[o[0].slot] = (Half)all;
        r[o[1].slot] = (Half)(all >> 8 * sizeof(Half));
    };
    t["pack." + type] = [](uint64_t *r, const Operand *o) {
        r[o[0].slot] = (uint64_t)(Half)r[o[2].slot] << 8 * sizeof(Half) | (Half)r[o[1].slot];
    };
}

static Table make_table(void)
{
    Table t;
    integers<int16_t>(t, "s16"), integers<uint16_t>(t, "u16");
    integers<int32_t>(t, "s32"), integers<uint32_t>(t, "u32");
    integers<int64_t>(t, "s64"), integers<uint64_t>(t, "u64");
    products<int16_t, int32_t>(t, "s16"), products<uint16_t, uint32_t>(t, "u16");
    products<int32_t, int64_t>(t, "s32"), products<uint32_t, uint64_t>(t, "u32");
    patterns<uint16_t>(t, "b16"), patterns<uint32_t>(t, "b32"), patterns<uint64_t>(t, "b64");
    for (const char *kind : {"b", "u", "s", "f"}) {
        moves<uint16_t>(t, kind + std::string("16"));
        moves<uint32_t>(t, kind + std::string("32"));
        moves<uint64_t>(t, kind + std::string("64"));
    }
    comparisons<int16_t>(t, "s16"), comparisons<uint16_t>(t, "u16");
    comparisons<int32_t>(t, "s32"), comparisons<uint32_t>(t, "u32");
    comparisons<int64_t>(t, "s64"), comparisons<uint64_t>(t, "u64");
    comparisons<float>(t, "f32"), comparisons<double>(t, "f64");
    comparisons<uint16_t>(t, "b16"), comparisons<uint32_t>(t, "b32"),
        comparisons<uint64_t>(t, "b64");
    floats<float>(t, "f32"), floats<double>(t, "f64");
    convert_integer<int16_t>(t, "s16"), convert_integer<uint16_t>(t, "u16");
    convert_integer<int32_t>(t, "s32"), convert_integer<uint32_t>(t, "u32");
    convert_integer<int64_t>(t, "s64"), convert_integer<uint64_t>(t, "u64");
    convert_float<float>(t, "f32"), convert_float<double>(t, "f64");
    convert<double, float>(t, "f64.f32");
    convert<float, double>(t, "rn.f32.f64");
    convert<float, _Float16>(t, "f32.f16");
    convert<_Float16, float>(t, "rn.f16.f32");
    DEFINE(t, "cvt.rn.bf16.f32", float, bf16_of(a));
    DEFINE(t, "cvt.f32.bf16", uint16_t, of_bf16(a));
    DEFINE(t, "cvta.to.global.u64", uint64_t, a);
    DEFINE(t, "ex2.approx.ftz.f32", float, flushed(exp2f(flushed(a))));
    DEFINE(t, "prmt.b32", uint32_t, permuted(a, b, c));
    DEFINE(t, "mov.pred", bool, a);
    DEFINE(t, "and.pred", bool, a &&b);
    DEFINE(t, "or.pred", bool, a || b);
    DEFINE(t, "xor.pred", bool, a != b);
    DEFINE(t, "not.pred", bool, !a);
    halves<uint16_t>(t, "b32"), halves<uint32_t>(t, "b64");
    return t;
}

/* ---- names ---- */
static int bytes_of(const std::string &type, bool &is_signed)
{
    is_signed = type[0] == 's';
    int bits = atoi(type.c_str() + 1);
    return strchr("busf", type[0]) && (bits == 8 || bits == 16 || bits == 32 || bits == 64)
             ? bits / 8
             : 0;
}

/* ld.global.v4.f32, st.shared.u32, ld.param.u64, atom.global.inc.u32 */
static bool access(const std::string &name, Instruction &i)
{
    std::vector<std::string> words(1);
    for (char c : name)
        if (c == '.')
            words.emplace_back();
        else
            words.back() += c;
    i.kind = words[0] == "ld" ? LOAD : words[0] == "st" ? STORE : ATOMIC;
    if (words.size() < 3)
        return false;
    i.space = words[1] == "shared" ? SHARED : words[1] == "param" ? PARAMETERS : GLOBAL;
    i.count = words[2] == "v2" ? 2 : words[2] == "v4" ? 4 : 1;
    i.bytes = bytes_of(words.back(), i.is_signed);
    size_t others = i.count > 1 || i.kind == ATOMIC ? 4 : 3;
    return i.bytes && words.size() == others && (i.space != GLOBAL || words[1] == "global");
}

bool ptx_meaning(const std::string &name, Instruction &i)
{
    static const Table table = make_table();
    static const std::map<std::string, Kind> others = {
        {"bar.sync", BARRIER},
        {"membar.gl", FENCE},
        {"bra", BRANCH},
        {"bra.uni", BRANCH},
        {"ret", END},
        {"cp.async.cg.shared.global", COPY},
        {"cp.async.wait_all", COPIES_DONE},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", OF_WARP},
        {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", OF_WARP},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", OF_WARP},
        {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", OF_WARP}};
    auto computed = table.find(name);
    if (computed != table.end()) {
        i.kind = COMPUTE, i.compute = computed->second;
        return true;
    }
    auto other = others.find(name);
    if (other != others.end()) {
        i.kind = other->second;
        return true;
    }
    bool is_access = name.compare(0, 3, "ld.") == 0 || name.compare(0, 3, "st.") == 0 ||
                     name == "atom.global.inc.u32" || name == "atom.global.or.b32";
    return is_access && access(name, i);
}
