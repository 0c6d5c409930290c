/* ptx_read.cpp: the text of a PTX file as instructions. */
#include "ptx_machine.h"
#include <ctype.h>
#include <stdlib.h>

/* Asked for before the program's globals are made. */
static std::map<std::string, PtxKernel> &kernels(void)
{
    static std::map<std::string, PtxKernel> all;
    return all;
}

PtxKernel *ptx_kernel(const char *name)
{
    auto found = kernels().find(name);
    return found == kernels().end() ? NULL : &found->second;
}

[[noreturn]] static void unknown(const char *what, const std::string &text)
{
    std::string all = std::string("PTX: ") + what + ": " + text;
    ptx_wrong(all.c_str());
    abort();
}

static std::string trimmed(const std::string &s)
{
    size_t from = s.find_first_not_of(" \t\n"), to = s.find_last_not_of(" \t\n");
    return from == std::string::npos ? "" : s.substr(from, to - from + 1);
}
static std::vector<std::string> split(const std::string &s, const char *at)
{
    std::vector<std::string> parts;
    for (size_t from = 0; from < s.size();) {
        size_t to = s.find_first_of(at, from);
        to = to == std::string::npos ? s.size() : to;
        std::string part = trimmed(s.substr(from, to - from));
        if (!part.empty())
            parts.push_back(part);
        from = to + 1;
    }
    return parts;
}

/* ---- one kernel ---- */
struct Reader {
    PtxKernel *k;
    std::map<std::string, int> slots;       /* of names and of constants' texts */
    std::map<std::string, uint64_t> places; /* of parameters and of variables in shared memory */
    std::map<std::string, int> labels;
    std::vector<std::pair<int, std::string>> jumps;

    int slot(const std::string &text);
    uint64_t constant(const std::string &text);
    void operands(Instruction &i, const std::string &text);
    void declare(const std::string &text);
    void parameter(const std::string &text);
    void instruction(std::string text);
    void body(const std::string &text);
};

uint64_t Reader::constant(const std::string &text)
{
    auto place = places.find(text);
    if (place != places.end())
        return place->second;
    char *end;
    uint64_t value;
    if (text[0] == '0' && strchr("fFdD", text[1]) && text.size() > 2) /* a float's bits */
        value = strtoull(text.c_str() + 2, &end, 16);
    else
        value = text[0] == '-' ? (uint64_t)strtoll(text.c_str(), &end, 0)
                               : strtoull(text.c_str(), &end, 0);
    if (*end || !text[0])
        unknown("an operand that is not known", text);
    return value;
}

int Reader::slot(const std::string &text)
{
    auto known = slots.find(text);
    if (known != slots.end())
        return known->second;
    int n = slots[text] = (int)k->registers.size();
    k->registers.push_back(text[0] == '%' ? 0xdeadbeefdeadbeefu : constant(text));
    if (text.find('.') != std::string::npos)
        k->special[text] = n;
    return n;
}

/* "%r1, [%rd2+8], {%f1, %f2}": in their order. */
void Reader::operands(Instruction &i, const std::string &text)
{
    for (auto &part : split(text, ",{}")) {
        if (i.operands == OPERANDS)
            unknown("too many operands", i.text);
        Operand &o = i.o[i.operands++];
        size_t plus = part.find('+');
        if (part[0] != '[') {
            o.slot = slot(part);
            continue;
        }
        o.slot = slot(trimmed(part.substr(1, std::min(plus, part.size() - 1) - 1)));
        if (plus != std::string::npos)
            o.offset = strtoll(part.c_str() + plus + 1, NULL, 0);
    }
}

/* "@!%p1 ld.global.f32 %f1, [%rd1+4]" */
void Reader::instruction(std::string text)
{
    Instruction i;
    i.text = text;
    if (text[0] == '@') {
        size_t space = text.find_first_of(" \t");
        i.unless = text[1] == '!';
        i.guard = slot(text.substr(1 + i.unless, space - 1 - i.unless));
        text = trimmed(text.substr(space));
    }
    size_t space = std::min(text.find_first_of(" \t"), text.size());
    std::string name = text.substr(0, space), rest = trimmed(text.substr(space));
    size_t list = rest.find('{');
    if (name.compare(0, 4, "mov.") == 0 && list != std::string::npos)
        name = (list == 0 ? "unpack" : "pack") + name.substr(3);
    if (!ptx_meaning(name, i))
        unknown("an instruction that is not known", text);
    if (i.kind == BRANCH)
        jumps.push_back({(int)k->code.size(), rest});
    else if (i.kind != BARRIER)
        operands(i, rest);
    else if (rest != "0")
        unknown("a barrier of some threads", text);
    k->code.push_back(i);
}

/* ".param .align 8 .b8 name[32]" or ".shared .align 16 .b8 name[512]": its size; and its alignment
 * and name. */
static size_t declared(const std::string &text, size_t &align, std::string &name)
{
    size_t element = 0, count = 1;
    align = 0;
    auto words = split(text, " \t\n");
    for (size_t w = 1; w + 1 < words.size(); w++)
        if (words[w] == ".align")
            align = strtoul(words[++w].c_str(), NULL, 10);
        else if (words[w].size() > 2 && isdigit(words[w][2]))
            element = strtoul(words[w].c_str() + 2, NULL, 10) / 8;
    name = words.back();
    size_t bracket = name.find('[');
    if (bracket != std::string::npos) {
        count = strtoul(name.c_str() + bracket + 1, NULL, 10);
        name.resize(bracket);
    }
    if (!element || !count)
        unknown("a declaration that is not known", text);
    align = align ? align : element;
    return element * count;
}
static size_t up(size_t at, size_t align) { return (at + align - 1) / align * align; }

void Reader::parameter(const std::string &text)
{
    size_t align;
    std::string name;
    size_t bytes = declared(text, align, name), at = up(k->parameter_bytes, align);
    k->parameters.push_back({at, bytes});
    places[name] = at;
    k->parameter_bytes = at + bytes;
}

/* Between variables lie 16 bytes of nobody's. */
void Reader::declare(const std::string &text)
{
    if (text.compare(0, 4, ".reg") == 0 || text.compare(0, 7, ".pragma") == 0)
        return;
    if (text.compare(0, 7, ".shared") != 0)
        unknown("a directive that is not known", text);
    size_t align;
    std::string name;
    size_t bytes = declared(text, align, name), at = up(k->shared_bytes + 16, align);
    k->variables.push_back({at, at + bytes});
    places[name] = at;
    k->shared_bytes = at + bytes;
}

/* Statements end with a semicolon, labels with a colon; braces around statements say nothing. */
void Reader::body(const std::string &text)
{
    std::string statement;
    bool list = false;
    for (char c : text) {
        if (statement.empty() && (isspace(c) || c == '{' || c == '}'))
            continue;
        list = c == '{' || (list && c != '}');
        if (c == ':' && !list && statement[0] == '$') {
            labels[statement] = (int)k->code.size();
            statement.clear();
        } else if (c != ';') {
            statement += isspace(c) ? ' ' : c;
        } else {
            if (statement[0] == '.')
                declare(statement);
            else
                instruction(trimmed(statement));
            statement.clear();
        }
    }
    k->code.emplace_back();
    for (auto &j : jumps) {
        if (!labels.count(j.second))
            unknown("no such label", j.second);
        k->code[j.first].target = labels[j.second];
    }
}

/* ---- the file ---- */
static std::string without_comments(const char *text)
{
    std::string all;
    for (const char *c = text; *c; c++) {
        if (c[0] == '/' && c[1] == '/')
            c += strcspn(c, "\n");
        if (!*c)
            break;
        all += *c;
    }
    return all;
}

/* Where the block that opens at text[from] ends. */
static size_t end_of_block(const std::string &text, size_t from)
{
    int deep = 0;
    size_t at = from;
    do
        deep += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    while (deep && ++at < text.size());
    return at;
}

void ptx_read(const char *file)
{
    std::string text = without_comments(file);
    for (size_t at = 0; (at = text.find(".entry", at)) != std::string::npos;) {
        size_t open = text.find('(', at), brace = text.find('{', open),
               close = text.rfind(')', brace), end = end_of_block(text, brace);
        std::string name = trimmed(text.substr(at + 6, open - at - 6)),
                    limits = text.substr(close, brace - close);
        PtxKernel &k = kernels()[name];
        k = PtxKernel();
        k.name = name;
        k.registers.push_back(0);
        Reader reader = {&k, {}, {}, {}, {}};
        for (auto &p : split(text.substr(open + 1, close - open - 1), ","))
            reader.parameter(p);
        size_t most = limits.find(".maxntid");
        if (most != std::string::npos)
            k.most_threads = (unsigned)strtoul(limits.c_str() + most + 8, NULL, 10);
        reader.body(text.substr(brace, end - brace));
        at = end;
    }
}

/* ---- parameters ---- */
size_t ptx_parameter_bytes(const PtxKernel *k) { return k->parameter_bytes; }
void ptx_pack(const PtxKernel *k, void *const *arguments, void *to)
{
    for (size_t i = 0; i < k->parameters.size(); i++)
        memcpy((char *)to + k->parameters[i].at, arguments[i], k->parameters[i].bytes);
}

void ptx_counts(void)
{
    for (auto &e : kernels()) {
        const PtxKernel &k = e.second;
        if (k.launches)
            printf("%s: %lu launches, %lu threads, %lu instructions, %lu accesses, %lu bytes\n",
                   k.name.c_str(), k.launches, k.threads, k.executed, k.accesses, k.bytes);
    }
}
