// Plays a recorded order stream to engines of the neutral harness, by turns, each alone on one thread.
//
//   alone <orders.bin> <rounds> <name>=<engine.so>...
//
// Owns: what an engine costs without the harness' queue and its second thread. Never does: judge reports; the harness does.
// Timed is the thread's processor time of all messages, one at a time, and the flush; reports go into a ring of 4 MiB that
// nobody reads. A first round of each, not timed, sums its reports: engines that tell something else end the run. Prints
// a row an engine: name, lowest, median and highest figure in millions of messages a second, its median over the first's.
// Known limits: engines share the process, and with it the allocator.

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "matching_engine_api.h"

namespace {

struct Engine {
    std::string name;
    decltype(&engine_init) init;
    decltype(&engine_shutdown) shutdown;
    decltype(&engine_on_new_order) on_new;
    decltype(&engine_on_cancel) on_cancel;
    decltype(&engine_on_modify) on_modify;
    decltype(&engine_flush) flush;
    std::vector<double> figures;
};

struct Ring {
    static constexpr size_t SIZE = 65'536;
    std::vector<me_report_t> reports = std::vector<me_report_t>(SIZE);
    uint64_t count = 0, sum = 0;
};

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::exit(1);
}

void* no_create(uint32_t) { return nullptr; }
uint32_t no_drain(void*, me_report_t*, uint32_t) { return 0; }
void nothing(void*) {}

int keep(void* ring, const me_report_t* report) {
    auto& r = *static_cast<Ring*>(ring);
    r.reports[r.count++ % Ring::SIZE] = *report;
    return 1;
}

// What every engine must tell alike, mixed into the ring's sum in the order in which it was told.
int sum_up(void* ring, const me_report_t* report) {
    auto& r = *static_cast<Ring*>(ring);
    const bool trade = report->type == ME_TRADE;
    const bool told = report->type != ME_CANCEL_REJECT && report->type != ME_MODIFY_REJECT;
    for (uint64_t word : {uint64_t{report->type}, report->sequence_number, trade ? report->maker_order_id : report->order_id,
                          told ? uint64_t(report->price_ticks) : 0, trade ? uint64_t{report->quantity} : 0}) {
        r.sum = (r.sum ^ word) * 0x9e3779b97f4a7c15;
        r.sum ^= r.sum >> 29;
    }
    ++r.count;
    return 1;
}

const me_transport_t KEEP{no_create, keep, no_drain, nothing, nothing};
const me_transport_t SUM{no_create, sum_up, no_drain, nothing, nothing};

Engine load(const std::string& given) {
    const size_t at = given.find('=');
    if (at == std::string::npos) fail("not name=engine.so: " + given);
    void* lib = dlopen(given.c_str() + at + 1, RTLD_NOW | RTLD_LOCAL);
    if (!lib) fail(dlerror());
    const auto symbol = [&](auto& into, const char* name) {
        into = reinterpret_cast<std::decay_t<decltype(into)>>(dlsym(lib, name));
        if (!into) fail(given + " has no " + name);
    };
    Engine e{};
    e.name = given.substr(0, at);
    symbol(e.init, "engine_init");
    symbol(e.shutdown, "engine_shutdown");
    symbol(e.on_new, "engine_on_new_order");
    symbol(e.on_cancel, "engine_on_cancel");
    symbol(e.on_modify, "engine_on_modify");
    symbol(e.flush, "engine_flush");
    return e;
}

// The generator's file: 16 bytes of header, then 40 a message.
std::vector<me_msg_t> read(const char* path) {
    struct Record {
        uint8_t type, side, ioc, pad;
        uint32_t quantity;
        uint64_t sequence, order;
        int64_t ticks, reserved;
    };
    static_assert(sizeof(Record) == 40);
    std::FILE* file = std::fopen(path, "rb");
    uint8_t head[16];
    uint32_t count = 0;
    if (!file || std::fread(head, 16, 1, file) != 1) fail(std::string("cannot read ") + path);
    std::memcpy(&count, head + 12, 4);
    std::vector<Record> records(count);
    if (std::fread(records.data(), sizeof(Record), count, file) != count) fail(std::string("too short: ") + path);
    std::fclose(file);
    std::vector<me_msg_t> messages;
    for (const Record& r : records) {
        me_msg_t m{};
        m.type = r.type;
        if (r.type == 0) m.no = {r.order, r.sequence, r.ticks, r.quantity, r.side, r.ioc, {}};
        if (r.type == 1) m.c = {r.order, r.sequence};
        if (r.type == 2) m.md = {r.order, r.sequence, r.ticks, r.quantity, r.side, {}};
        messages.push_back(m);
    }
    return messages;
}

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

double play(const Engine& e, const me_transport_t& transport, Ring& ring, const std::vector<me_msg_t>& messages) {
    ring.count = ring.sum = 0;
    e.init(23, &transport, &ring);
    const double start = cpu_seconds();
    for (const me_msg_t& m : messages) {
        if (m.type == 0) e.on_new(&m.no);
        else if (m.type == 1) e.on_cancel(&m.c);
        else e.on_modify(&m.md);
    }
    e.flush();
    const double took = cpu_seconds() - start;
    e.shutdown();
    return double(messages.size()) / took / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) fail("alone <orders.bin> <rounds> <name>=<engine.so>...");
    const auto messages = read(argv[1]);
    const int rounds = std::max(1, std::atoi(argv[2]));
    std::vector<Engine> engines;
    for (int n = 3; n < argc; ++n) engines.push_back(load(argv[n]));
    Ring ring;
    uint64_t count = 0, sum = 0;
    for (const Engine& e : engines) {
        play(e, SUM, ring, messages);
        if (&e == engines.data()) { count = ring.count; sum = ring.sum; }
        if (ring.count != count || ring.sum != sum) fail(e.name + " reports something else than " + engines[0].name);
    }
    for (int round = 0; round < rounds; ++round)
        for (Engine& e : engines) e.figures.push_back(play(e, KEEP, ring, messages));
    double first = 0;
    for (Engine& e : engines) {
        std::sort(e.figures.begin(), e.figures.end());
        const size_t n = e.figures.size();
        const double median = (e.figures[(n - 1) / 2] + e.figures[n / 2]) / 2;
        if (first == 0) first = median;
        std::printf("%s\t%.1f\t%.1f\t%.1f\t%.2f\n", e.name.c_str(), e.figures.front(), median, e.figures.back(), median / first);
    }
}
