// SPDX-License-Identifier: Apache-2.0
// The driver on the register bus of the Verilated ArqPair. Prints one JSON object; exits with 1 and a sentence on an error.
//   driver_on_pair basic | effect CHANGES | reconfigure CHANGES SEED lossy|persistency

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "arq_pair_sim.h"
#include "arqlink_channel.h"

using arqlink::AccessError;
using arqlink::ArqPairSim;

namespace {

int busRead(void* context, uint32_t offset, uint32_t* value) {
    try {
        *value = static_cast<ArqPairSim*>(context)->read(offset);
        return 0;
    } catch (const AccessError&) {
        return -ARQLINK_EIO;
    }
}

int busWrite(void* context, uint32_t offset, uint32_t value) {
    try {
        static_cast<ArqPairSim*>(context)->write(offset, value);
        return 0;
    } catch (const AccessError&) {
        return -ARQLINK_EIO;
    }
}

// At 100 MHz.
uint32_t now(void* context) { return static_cast<uint32_t>(static_cast<ArqPairSim*>(context)->now() / 100); }

void sleep(void* context, uint32_t microseconds) {
    static_cast<ArqPairSim*>(context)->run(uint64_t{microseconds} * 100);
}

void require(bool good, const std::string& what) {
    if (!good) throw std::runtime_error(what + " is not as it must be.");
}

void done(int error, const std::string& what) {
    if (error) throw std::runtime_error(what + " returned " + std::to_string(error) + ".");
}

struct Bench {
    ArqPairSim sim;
    arqlink_bus bus{busRead, busWrite, now, sleep, &sim};
    arqlink_device a{}, b{};
    arqlink_channel ab{}, ba{};

    Bench() {
        sim.reset();
        done(arqlink_probe(&a, &bus, ARQLINK_PAIR_LINK_A), "arqlink_probe of A");
        done(arqlink_probe(&b, &bus, ARQLINK_PAIR_LINK_B), "arqlink_probe of B");
        done(arqlink_channel_probe(&ab, &bus, ARQLINK_PAIR_CHANNEL_AB), "arqlink_channel_probe");
        done(arqlink_channel_probe(&ba, &bus, ARQLINK_PAIR_CHANNEL_BA), "arqlink_channel_probe");
    }

    void up() {
        const arqlink_timers timers{20000, 1000, 4000, 100000, 0};
        for (arqlink_device* end : {&a, &b}) {
            done(arqlink_init(end), "arqlink_init");
            done(arqlink_set_timers(end, &timers), "arqlink_set_timers");
        }
        for (arqlink_device* end : {&a, &b}) done(arqlink_start(end), "arqlink_start");
        for (arqlink_device* end : {&a, &b}) done(arqlink_wait_up(end, 5000), "arqlink_wait_up");
    }

    void traffic(uint32_t control, uint32_t low, uint32_t high) {
        sim.write(ARQLINK_PAIR_TRAFFIC_B + ARQTRAF_CTRL_OFFSET, ARQTRAF_CTRL_CHECK_MASK);
        sim.write(ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_LENGTH_MIN_OFFSET, low);
        sim.write(ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_LENGTH_MAX_OFFSET, high);
        sim.write(ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_CTRL_OFFSET, control);
    }

    uint32_t checker(uint32_t offset) { return sim.read(ARQLINK_PAIR_TRAFFIC_B + offset); }
    uint64_t count(const arqlink_device& end, uint32_t index) {
        const auto selected = static_cast<uint8_t>(index);
        uint64_t value = 0;
        done(arqlink_read_selected(&end, false, &selected, 1, &value), "arqlink_read_selected");
        return value;
    }
};

void basic() {
    Bench t;
    arqlink_device none{};
    require(arqlink_probe(&none, &t.bus, 0x6000) == -ARQLINK_EIO, "The probe of an address without registers");
    require(arqlink_probe(&none, &t.bus, ARQLINK_PAIR_CHANNEL_AB) == -ARQLINK_ENODEV, "The probe of a channel");
    t.up();

    arqlink_status status{};
    done(arqlink_get_status(&t.a, &status), "arqlink_get_status");
    require(status.state == ARQLINK_UP && status.peer_known, "The state");
    uint32_t events = 0;
    t.sim.run(5000);  // the event is that the peer was seen up
    done(arqlink_irq_pending(&t.a, &events), "arqlink_irq_pending");
    require(events & ARQLINK_ERROR_LINK_UP_MASK, "The event link_up");
    require(!(events & ARQLINK_ERROR_ACCESS_MASK), "The event access");

    require(arqlink_set_code(&t.a, 0, 1, 1) == -ARQLINK_EINVAL, "A code beyond the limits");
    const arqlink_limits built = t.a.limits;
    t.a.limits.max_parity = 200;  // so that the hardware rejects it
    arqlink_config before{}, after{};
    done(arqlink_get_config(&t.a, &before), "arqlink_get_config");
    require(arqlink_set_code(&t.a, 4, 100, 4) == -ARQLINK_EINVAL, "A code that the hardware rejects");
    t.a.limits = built;
    done(arqlink_get_config(&t.a, &after), "arqlink_get_config");
    require(before.k == after.k && before.n_first == after.n_first, "The setting after a rejection");
    require(t.sim.read(ARQLINK_CODE_OFFSET) == t.sim.read(ARQLINK_ACTIVE_CODE_OFFSET),
            "The staged setting after a rejection");

    const arqlink_selftest test{64, 300, 1u << 29, 10000, nullptr, nullptr};
    arqlink_selftest_result idle{}, busy{};
    done(arqlink_selftest_run(&t.a, &test, &idle), "arqlink_selftest_run");

    // Under traffic: a counter's threshold, a change of code and persistency, and all counters of one snapshot.
    done(arqlink_set_code(&t.a, 8, 10, 12), "arqlink_set_code");
    done(arqlink_set_persistency(&t.a, ARQLINK_PERSISTENCY_INFINITE), "arqlink_set_persistency");
    done(arqlink_channel_set_loss(&t.ab, 1u << 28), "arqlink_channel_set_loss");
    done(arqlink_irq_ack(&t.a, ARQLINK_ERROR_THRESHOLD_MASK), "arqlink_irq_ack");
    const uint64_t threshold = t.count(t.a, ARQLINK_COUNT_tx_packets) + 50;
    done(arqlink_set_threshold(&t.a, ARQLINK_COUNT_tx_packets, threshold), "arqlink_set_threshold");
    done(arqlink_irq_pending(&t.a, &events), "arqlink_irq_pending");
    require(!(events & ARQLINK_ERROR_THRESHOLD_MASK), "The event threshold before its time");
    t.traffic(ARQTRAF_CTRL_GENERATE_MASK | ARQTRAF_CTRL_RANDOM_LENGTH_MASK, 8, 400);
    t.sim.run(60000);
    require(arqlink_selftest_run(&t.a, &test, &busy) == -ARQLINK_EBUSY, "The self-test under traffic");
    done(arqlink_irq_pending(&t.a, &events), "arqlink_irq_pending");
    require(events & ARQLINK_ERROR_THRESHOLD_MASK, "The event threshold");
    arqlink_counters counters{};
    done(arqlink_read_counters(&t.a, false, &counters), "arqlink_read_counters");
    const uint64_t* c = counters.value;
    require(c[ARQLINK_COUNT_tx_packets] >= threshold && c[ARQLINK_COUNT_tx_retx] > 0, "The counters");
    require(c[ARQLINK_COUNT_tx_frames] >= c[ARQLINK_COUNT_tx_frames_acked], "The counters of one snapshot");
    require(t.checker(ARQTRAF_LOST_OFFSET) == 0 && t.checker(ARQTRAF_CORRUPT_OFFSET) == 0, "The checker");
    std::printf("{\"selftest\": {\"received\": %u, \"erased\": %u}, \"tx_packets\": %llu, \"tx_retx\": %llu}\n",
                idle.received, idle.erased, (unsigned long long)c[ARQLINK_COUNT_tx_packets],
                (unsigned long long)c[ARQLINK_COUNT_tx_retx]);
}

// Settings change while packets flow. `lossy`: a unit in 16 is erased, and delta stays infinite; else nothing is erased, and delta changes
// too, as does `ordered` of the end that delivers.
void reconfigure(unsigned changes, uint32_t seed, bool lossy) {
    Bench t;
    t.up();
    std::mt19937 random(seed);
    const auto draw = [&](uint32_t low, uint32_t high) { return low + random() % (high - low + 1); };
    done(arqlink_set_persistency(&t.a, ARQLINK_PERSISTENCY_INFINITE), "arqlink_set_persistency");
    arqlink_channel_config channel{};
    done(arqlink_channel_get(&t.ab, &channel), "arqlink_channel_get");
    channel.enable = lossy;
    channel.delay = 2000;
    channel.p_good = 1u << 28;  // 1/16
    done(arqlink_channel_set(&t.ab, &channel), "arqlink_channel_set");
    t.sim.run(5000);
    const uint64_t restarts = t.count(t.a, ARQLINK_COUNT_link_restarts);
    for (uint32_t port : {ARQLINK_PAIR_TRAFFIC_A, ARQLINK_PAIR_TRAFFIC_B})
        t.sim.write(port + ARQTRAF_CTRL_OFFSET, ARQTRAF_CTRL_CLEAR_MASK);
    t.traffic(ARQTRAF_CTRL_GENERATE_MASK | ARQTRAF_CTRL_RANDOM_LENGTH_MASK, 8, 600);

    for (unsigned i = 0; i < changes; ++i) {
        arqlink_config config{};
        done(arqlink_get_config(&t.a, &config), "arqlink_get_config");
        config.k = (uint8_t)draw(1, t.a.limits.max_k);
        config.n_first = (uint8_t)(config.k + draw(0, t.a.limits.max_parity));
        config.n_retx = (uint8_t)(config.k + draw(0, t.a.limits.max_parity));
        config.preset = (uint8_t)draw(0, 2);
        config.delta = (uint8_t)(lossy ? ARQLINK_PERSISTENCY_INFINITE : draw(0, ARQLINK_PERSISTENCY_INFINITE));
        done(arqlink_set_config(&t.a, &config), "arqlink_set_config");
        if (!lossy) done(arqlink_set_ordered(&t.b, draw(0, 1)), "arqlink_set_ordered");
        t.sim.run(draw(0, 2000));
    }
    t.sim.write(ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_CTRL_OFFSET, 0);
    uint32_t sent = 0;
    for (unsigned i = 0; i < 1000; ++i) {
        t.sim.run(1000);
        sent = t.sim.read(ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_SENT_OFFSET);
        if (t.checker(ARQTRAF_RECEIVED_OFFSET) >= sent) break;
    }
    t.sim.run(50000);  // a packet that came twice would come now
    std::printf(
        "{\"changes\": %u, \"sent\": %u, \"received\": %u, \"lost\": %u, \"disordered\": %u, \"corrupt\": %u, "
        "\"aborted\": %u, "
        "\"abandoned\": %llu, \"retx\": %llu, \"restarts\": %llu, \"clocks\": %llu}\n",
        changes, sent, t.checker(ARQTRAF_RECEIVED_OFFSET), t.checker(ARQTRAF_LOST_OFFSET),
        t.checker(ARQTRAF_DISORDERED_OFFSET), t.checker(ARQTRAF_CORRUPT_OFFSET), t.checker(ARQTRAF_ABORTED_OFFSET),
        (unsigned long long)t.count(t.a, ARQLINK_COUNT_tx_frames_abandoned),
        (unsigned long long)t.count(t.a, ARQLINK_COUNT_tx_retx),
        (unsigned long long)(t.count(t.a, ARQLINK_COUNT_link_restarts) - restarts), (unsigned long long)t.sim.now());
}

// How many first transmissions still leave with the old N after the call has returned. Nothing is erased, all frames are full, and
// N changes between K and K + parity: of the units U that leave with F frames, (F N - U) / (N - N_old) frames were of the old N.
// A frame is counted as it begins, its units as they leave, so a frame under way at either end of a span counts in part. Over many
// spans these parts cancel in the mean.
void effect(unsigned changes) {
    Bench t;
    t.up();
    const uint32_t k = 8, parity = t.a.limits.max_parity;
    done(arqlink_set_code(&t.a, k, k, k), "arqlink_set_code");
    t.traffic(ARQTRAF_CTRL_GENERATE_MASK, k * t.a.limits.unit_bytes, k * t.a.limits.unit_bytes);
    t.sim.run(5000);
    double sum = 0;
    for (unsigned i = 0; i < changes; ++i) {
        const uint32_t now = k + (i % 2 ? 0 : parity), old = k + (i % 2 ? parity : 0);
        done(arqlink_set_code(&t.a, k, now, now), "arqlink_set_code");
        arqlink_counters first{}, last{};
        done(arqlink_read_counters(&t.a, false, &first), "arqlink_read_counters");
        t.sim.run(3000 + 7 * i);
        done(arqlink_read_counters(&t.a, false, &last), "arqlink_read_counters");
        const auto span = [&](unsigned c) { return (double)(last.value[c] - first.value[c]); };
        const double frames = span(ARQLINK_COUNT_tx_frames), units = span(ARQLINK_COUNT_tx_units);
        require(frames > 20, "The traffic");
        sum += (frames * now - units) / ((double)now - (double)old);
    }
    std::printf("{\"changes\": %u, \"late_frames\": %.3f}\n", changes, sum / changes);
}

}  // namespace

int main(int count, char** words) {
    try {
        const std::string mode = count > 1 ? words[1] : "";
        if (mode == "basic" && count == 2)
            basic();
        else if (mode == "reconfigure" && count == 5)
            reconfigure((unsigned)std::strtoul(words[2], nullptr, 0), (uint32_t)std::strtoul(words[3], nullptr, 0),
                        words[4] == std::string("lossy"));
        else if (mode == "effect" && count == 3)
            effect((unsigned)std::strtoul(words[2], nullptr, 0));
        else
            throw std::runtime_error(
                "Call it with: basic, effect CHANGES, or reconfigure CHANGES SEED lossy|persistency.");
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
