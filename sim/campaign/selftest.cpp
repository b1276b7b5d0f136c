// SPDX-License-Identifier: Apache-2.0
// selftest                    plays what is right, and what is broken in one way, which the checks have to name
// selftest decode UNIT_BYTES  reads units in hexadecimal, a line each, and prints what the codec makes of them
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "failure.h"
#include "packets.h"
#include "selftest.h"
#include "talk.h"

namespace {

using namespace campaign;

PacketBook bookOf(bool inOrder, unsigned count, Bytes (*content)(unsigned)) {
    PacketBook book(0, inOrder);
    for (unsigned i = 0; i < count; ++i) book.accepted(content(i), i, 1);
    return book;
}

Bytes numbered(unsigned i) { return packetContent(5, 0, i, 20); }

const std::vector<Case> firstCases = {
    {"a link that comes up, loses a frame and sends it again", nullptr,
     [] {
         Talk t;
         t.up();
         t.frame(0), t.frame(1, 1), t.frame(2);
         t.report(3, 5);
         t.frame(1, 3, 1);
         t.report(4, 13);
         t.control(0, [](ControlUnit& u) { u.txBase = 3, u.txEdge = 4, u.ackTsn = 4; });
     }},
    {"two reports that contradict each other", "contradiction",
     [] {
         Talk t;
         t.up();
         t.frame(0), t.frame(1, 1), t.frame(2);
         t.report(3, 5, false);
         t.report(3, 7);
     }},
    {"an outcome received of which too few units came", "outcome-wrong",
     [] {
         Talk t;
         t.up();
         t.frame(0, 1), t.frame(1);
         t.report(2, 3);
     }},
    {"an outcome failed of which enough units came", "outcome-wrong",
     [] {
         Talk t;
         t.up();
         t.frame(0);
         t.report(1, 0);
     }},
    {"rxNext that goes back", "rxNext-back",
     [] {
         Talk t;
         t.up();
         t.frame(0), t.frame(1);
         t.report(2, 3);
         t.report(1, 1);
     }},
    {"rxNext beyond what came", "rxNext-ahead",
     [] {
         Talk t;
         t.up();
         t.frame(0);
         t.report(2, 3);
     }},
    {"rxBase beyond what came", "rxBase-ahead",
     [] {
         Talk t;
         t.up();
         t.frame(0);
         t.control(1, [](ControlUnit& u) { u.bitmapBase = 0, u.rxNext = 1, u.bitmap = 1, u.rxBase = 2; });
     }},
    {"txEdge beyond what was sent", "txEdge-ahead",
     [] {
         Talk t;
         t.up();
         t.frame(0);
         t.control(0, [](ControlUnit& u) { u.txEdge = 2; });
     }},
    {"txBase beyond what was sent", "txBase-ahead",
     [] {
         Talk t;
         t.up();
         t.control(0, [](ControlUnit& u) { u.txBase = 1; });
     }},
    {"ackTsn beyond what was reported", "ackTsn-ahead",
     [] {
         Talk t;
         t.up();
         t.frame(0);
         t.report(1, 1, false);
         t.control(0, [](ControlUnit& u) { u.ackTsn = 1; });
     }},
    {"a TSN that is skipped", "tsn-gap",
     [] {
         Talk t;
         t.up();
         t.frame(0);
         ++t.tsn;
         t.frame(1);
     }},
    {"an FSN that is skipped", "fsn-gap",
     [] {
         Talk t;
         t.up();
         t.frame(1);
     }},
    {"a unit that is skipped", "index",
     [] {
         Talk t;
         t.up();
         t.leave(0, build(t.data(0, 0)));
         t.leave(0, build(t.data(0, 2)));
     }},
    {"a frame that ends early", "frame-cut",
     [] {
         Talk t;
         t.up();
         t.leave(0, build(t.data(0, 0)));
         ++t.tsn;
         t.frame(1);
     }},
    {"two control units in succession within a frame", "starved",
     [] {
         Talk t;
         t.up();
         t.leave(0, build(t.data(0, 0)));
         t.control(0);
         t.leave(0, build(t.data(0, 1)));
         t.control(0);
         t.control(0);
     }},
    {"a header that changes within a transmission", "header",
     [] {
         Talk t;
         t.up();
         t.leave(0, build(t.data(0, 0)));
         DataUnit u = t.data(0, 1);
         u.k = 1;
         t.leave(0, build(u));
     }},
    {"a retransmission of a frame that was acknowledged", "retx-acked",
     [] {
         Talk t;
         t.up();
         t.frame(0);
         t.report(1, 1);
         t.frame(0, 3, 1);
     }},
    {"a retransmission that nobody asked for", "retx-without-cause",
     [] {
         Talk t;
         t.up();
         t.frame(0, 0), t.frame(1);
         t.report(2, 2, false);
         t.frame(0, 3, 1);
     }},
    {"a first transmission with an odd attempt", "attempt",
     [] {
         Talk t;
         t.up();
         t.frame(0, 3, 1);
     }},
    {"more frames than the peer's window", "credit",
     [] {
         Talk t;
         t.up();
         for (unsigned i = 0; i < 65; ++i) t.frame(i);
     }},
    {"data before the link is up", "early-data",
     [] {
         Talk t;
         t.hello(0, false);
         t.hello(1, true);
         t.frame(0);
     }},
    {"a hello of a link that is up", "late-hello",
     [] {
         Talk t;
         t.up();
         t.hello(0, true);
     }},
    {"a hello of another build", "hello",
     [] {
         Talk t([](Rules& r) { r.info[0].window = 128; });
         t.hello(0, false);
     }},
    {"a peer's epoch that changes", "peer-epoch",
     [] {
         Talk t;
         t.up();
         t.control(0, [](ControlUnit& u) { u.peerEpoch = 9; });
     }},
    {"the old epoch after the new one", "old-epoch",
     [] {
         Talk t;
         t.up();
         t.epoch[0] = 2;
         t.hello(0, false);
         t.epoch[0] = 1;
         t.control(0);
     }},
    {"the old epoch long after a restart", "old-epoch",
     [] {
         Talk t;
         t.up();
         t.leave(0, build(t.said[0]), true, 1000);
     }},
    {"the old epoch after the unit that a restart broke", "old-epoch",
     [] {
         Talk t;
         t.up();
         t.leave(0, t.broken(0));
         t.control(0);
     }},
    {"a restart with the next epoch", nullptr,
     [] {
         Talk t;
         t.up();
         t.frame(0);
         t.leave(0, t.broken(0));
         t.epoch[0] = 2;
         t.hello(0, false);
     }},
    {"a restart that breaks the first unit after another one", nullptr,
     [] {
         Talk t;
         t.up();
         t.leave(0, t.broken(0));
         t.monitor->restartedAgain(0);
         t.leave(0, t.broken(0));
         t.epoch[0] = 3;
         t.hello(0, false);
     }},
    {"a restart that breaks two units", "bad-unit",
     [] {
         Talk t;
         t.up();
         t.leave(0, t.broken(0));
         t.leave(0, t.broken(0));
     }},
    {"reserved bits", "bad-unit",
     [] {
         Talk t;
         t.up();
         Bytes raw = build(t.said[0]);
         raw[19] |= 1;
         const uint32_t crc = crc32(raw.data(), raw.size() - 4);
         for (unsigned i = 0; i < 4; ++i) raw[raw.size() - 4 + i] = static_cast<uint8_t>(crc >> (8 * i));
         t.leave(0, raw);
     }},
    {"a poll without a cause", "poll-without-cause",
     [] {
         Talk t([](Rules& r) {
             r.clean[0] = r.clean[1] = true;
             r.poll[0] = r.keepalive[0] = r.poll[1] = r.keepalive[1] = 5000;
         });
         t.up();
         t.clock += 400;
         t.frame(0);
         t.report(1, 1);
         t.clock += 400;
         t.control(0, [](ControlUnit& u) { u.poll = true; });
     }},
    {"an answer that leaves out what the poll's txEdge closes", "stale-reply",
     [] {
         Talk t;
         t.up();
         t.frame(0, 2), t.frame(1, 2);
         t.control(0, [](ControlUnit& u) { u.txEdge = 2, u.poll = true; });
         t.control(1, [](ControlUnit& u) { u.bitmapBase = 0, u.rxNext = 1, u.bitmap = 1, u.reply = true; });
     }},
    {"a poll that comes while the answer to the one before waits for the PHY", nullptr,
     [] {
         Talk t;
         t.up();
         t.frame(0, 2);
         t.control(0, [](ControlUnit& u) { u.txEdge = 1, u.poll = true; });
         t.control(0, [](ControlUnit& u) { u.txEdge = 1, u.poll = true; });
         t.control(1, [](ControlUnit& u) { u.bitmapBase = 0, u.rxNext = 1, u.bitmap = 1, u.reply = true; });
         t.frame(1, 2);
         t.control(0, [](ControlUnit& u) { u.txEdge = 2, u.poll = true; });
         t.control(1, [](ControlUnit& u) { u.bitmapBase = 0, u.rxNext = 1, u.bitmap = 1, u.reply = true; });
         t.control(1, [](ControlUnit& u) { u.bitmapBase = 0, u.rxNext = 2, u.bitmap = 3, u.reply = true; });
     }},
    {"a poll after silence", nullptr,
     [] {
         Talk t([](Rules& r) {
             r.clean[0] = r.clean[1] = true;
             r.poll[0] = r.keepalive[0] = r.poll[1] = r.keepalive[1] = 5000;
         });
         t.up();
         t.clock += 5000;
         t.control(0, [](ControlUnit& u) { u.poll = true; });
     }},
    {"packets in order, one of them lost", nullptr,
     [] {
         PacketBook book = bookOf(true, 3, numbered);
         book.delivered(numbered(0), 9);
         book.delivered(numbered(2), 9);
         if (book.missing() != 1 || book.missingSince(2) != 0 || book.missingSince(1) != 1)
             throw Failure("count", "missing");
     }},
    {"two packets that change places", "packet-order",
     [] {
         PacketBook book = bookOf(true, 2, numbered);
         book.delivered(numbered(1), 9);
         book.delivered(numbered(0), 9);
     }},
    {"two packets that change places where they may", nullptr,
     [] {
         PacketBook book = bookOf(false, 2, numbered);
         book.delivered(numbered(1), 9);
         book.delivered(numbered(0), 9);
         if (book.missing()) throw Failure("count", "missing");
     }},
    {"a packet after a restart that looks like one lost before it", nullptr,
     [] {
         PacketBook book(0, false);
         book.accepted(Bytes{1}, 1, 1), book.accepted(Bytes{1}, 2, 2);
         book.delivered(Bytes{1}, 9);
         if (book.missing() != 1 || book.missingSince(2) != 0) throw Failure("count", "missing");
     }},
    {"a packet that comes twice", "packet-twice",
     [] {
         PacketBook book = bookOf(false, 2, numbered);
         book.delivered(numbered(1), 9);
         book.delivered(numbered(1), 9);
     }},
    {"a packet that nobody sent", "packet-content",
     [] {
         PacketBook book = bookOf(true, 2, numbered);
         Bytes bytes = numbered(0);
         bytes[17] ^= 4;
         book.delivered(bytes, 9);
     }},
    {"fresh packets after forged units, one of them twice", "packet-twice",
     [] {
         PacketBook book = bookOf(true, 2, numbered);
         book.relax();
         book.delivered(Bytes(9, 1), 9);
         book.freshFrom();
         book.accepted(numbered(2), 9, 1);
         book.delivered(numbered(2), 9);
         book.delivered(numbered(2), 9);
     }},
};

int decode(unsigned bytes) {
    const WireLimits limits{bytes};
    std::string line;
    while (std::getline(std::cin, line)) {
        Bytes raw;
        for (size_t i = 0; i + 1 < line.size(); i += 2)
            raw.push_back(static_cast<uint8_t>(std::strtoul(line.substr(i, 2).c_str(), nullptr, 16)));
        const Unit u = parse(raw, limits);
        if (u.isData()) {
            const DataUnit& d = u.data;
            std::printf("data %u %u %u %u %u %u %u %u %u %u %u %u %u %d\n", d.preset, d.sop, d.eop, d.epoch, d.k, d.n,
                        d.index, d.pad, d.fsn, d.tsn, d.lastTry, d.allBelow, d.odd, build(d) == raw);
        } else if (u.isControl()) {
            const ControlUnit& c = u.control;
            std::printf("control %u %u %u %u %u %u %u %u %u %u %u %u %u %u %u %u %u %" PRIu64 " %d\n", c.epoch, c.hello,
                        c.peerKnown, c.poll, c.reply, c.deaf, c.abandons, c.peerEpoch, c.packetCrc, c.windowLog2,
                        c.unitBytes, c.ackTsn, c.txBase, c.txEdge, c.rxBase, c.rxNext, c.bitmapBase, c.bitmap,
                        build(c) == raw);
        } else {
            const char* const names[] = {"data", "control", "flag", "link", "length", "crc", "header"};
            std::printf("%s\n", names[static_cast<unsigned>(u.verdict)]);
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::string(argv[1]) == "decode") return decode(static_cast<unsigned>(std::atoi(argv[2])));
    unsigned wrong = 0;
    std::vector<Case> cases = firstCases;
    for (const auto& more : {numberCases(), dueCases(), runCases()})
        cases.insert(cases.end(), more.begin(), more.end());
    for (const Case& c : cases) {
        std::string kind;
        try {
            c.play();
        } catch (const Failure& failure) {
            kind = failure.kind;
        }
        const std::string expected = c.kind ? c.kind : "";
        std::printf("%s: %s%s\n", c.name, kind.empty() ? "nothing" : kind.c_str(),
                    kind == expected ? "" : (", and not " + (expected.empty() ? "nothing" : expected)).c_str());
        wrong += kind != expected;
    }
    return wrong ? 1 : 0;
}
