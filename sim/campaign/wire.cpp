// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <array>

namespace campaign {
namespace {

std::array<uint32_t, 256> crcTable() {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0xEDB88320u : 0);
        table[i] = c;
    }
    return table;
}

uint64_t bigEndian(const uint8_t* bytes, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) value = value << 8 | bytes[i];
    return value;
}

void append(Bytes& bytes, uint64_t value, unsigned count) {
    for (unsigned i = count; i-- > 0;) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

Bytes seal(Bytes body) {
    const uint32_t crc = crc32(body.data(), body.size());
    for (unsigned i = 0; i < crcBytes; ++i) body.push_back(static_cast<uint8_t>(crc >> (8 * i)));
    return body;
}

Verdict parseData(const Bytes& raw, const WireLimits& limits, DataUnit& u) {
    const bool isSeveral = raw[0] & 8, isFresh = raw[2] & 0x80;
    u.lastTry = raw[0] & 0x20;
    u.allBelow = raw[0] & 0x10;
    u.odd = raw[0] & 4;
    u.link = raw[0] & 3;
    u.epoch = raw[1];
    u.k = static_cast<uint8_t>((raw[2] & 0x7f) + 1);
    u.n = raw[3];
    u.index = raw[4];
    u.preset = raw[5] >> 6;
    u.sop = raw[5] & 0x20;
    u.eop = raw[5] & 0x10;
    u.pad = static_cast<uint16_t>(bigEndian(&raw[5], 2) & 0xfff);
    const uint64_t numbers = bigEndian(&raw[7], 5);
    u.fsn = static_cast<uint32_t>(numbers >> 20);
    u.tsn = static_cast<uint32_t>(numbers & (snCount - 1));
    u.payload.assign(raw.begin() + headerBytes, raw.end() - crcBytes);
    const bool good = !isSeveral && !isFresh && u.k <= limits.maxK && u.n >= u.k &&
                      unsigned(u.n - u.k) <= limits.maxParity && u.index < u.n && u.pad < limits.unitBytes &&
                      u.preset != 3;
    return good ? Verdict::data : Verdict::header;
}

Verdict parseControl(const Bytes& raw, ControlUnit& u) {
    u.epoch = raw[1];
    u.hello = raw[2] & 1;
    u.peerKnown = raw[2] & 2;
    u.poll = raw[2] & 4;
    u.reply = raw[2] & 8;
    u.deaf = raw[2] & 16;
    u.abandons = raw[2] & 32;
    u.link = raw[0] & 3;
    u.peerEpoch = raw[3];
    u.packetCrc = u.hello && raw[4] & 0x80;
    u.windowLog2 = raw[4] & 0x1F;
    u.unitBytes = static_cast<uint16_t>(bigEndian(&raw[5], 2));
    u.ackTsn = static_cast<uint32_t>(bigEndian(&raw[4], 3) & (snCount - 1));
    const uint64_t tx = bigEndian(&raw[7], 5), rx = bigEndian(&raw[12], 5);
    u.txBase = static_cast<uint32_t>(tx >> 20);
    u.txEdge = static_cast<uint32_t>(tx & (snCount - 1));
    u.rxBase = static_cast<uint32_t>(rx >> 20);
    u.rxNext = static_cast<uint32_t>(rx & (snCount - 1));
    u.bitmapBase = static_cast<uint32_t>(bigEndian(&raw[17], 3) >> 4);
    u.bitmap = bigEndian(&raw[20], 8);
    const bool reserved =
        (raw[0] & 12) || (raw[2] & 0xC0) || (bigEndian(&raw[17], 3) & 511) || (u.hello && raw[4] & 0x60);
    return reserved ? Verdict::header : Verdict::control;
}

uint32_t sum(uint32_t a, uint32_t b) { return (a + b) & (snCount - 1); }

}  // namespace

void DataUnit::raise(uint32_t by) {
    for (uint32_t* number : {&fsn, &tsn}) *number = sum(*number, by);
}

void ControlUnit::raise(uint32_t by) {
    for (uint32_t* number : {&ackTsn, &txBase, &txEdge, &rxBase, &rxNext, &bitmapBase}) *number = sum(*number, by);
}

uint32_t crc32(const uint8_t* bytes, size_t count) {
    static const auto table = crcTable();
    uint32_t c = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; ++i) c = table[(c ^ bytes[i]) & 0xff] ^ (c >> 8);
    return ~c;
}

Unit parse(const Bytes& raw, const WireLimits& limits, bool flagged) {
    Unit unit;
    unit.verdict = Verdict::flag;
    if (flagged) return unit;
    unit.verdict = Verdict::length;
    if (raw.size() < crcBytes) return unit;
    const bool isControl = (raw[0] >> 4 & 3) == 1;
    const uint8_t* tail = raw.data() + raw.size() - crcBytes;
    const uint32_t sent = tail[0] | tail[1] << 8 | tail[2] << 16 | uint32_t(tail[3]) << 24;
    const bool isIntact = crc32(raw.data(), raw.size() - crcBytes) == sent;
    if (isIntact && raw[0] >> 6 == version && (raw[0] & 3) != limits.link) unit.verdict = Verdict::link;
    if (unit.verdict == Verdict::link) return unit;
    if (raw.size() != (isControl ? controlBytes : headerBytes + limits.unitBytes + crcBytes)) return unit;
    unit.verdict = Verdict::crc;
    if (!isIntact) return unit;
    unit.verdict = Verdict::header;
    if (raw[0] >> 6 != version) return unit;
    unit.verdict = isControl ? parseControl(raw, unit.control) : parseData(raw, limits, unit.data);
    unit.data.raise(-limits.firstSn);
    unit.control.raise(-limits.firstSn);
    return unit;
}

Bytes build(const DataUnit& u) {
    Bytes raw;
    raw.push_back(static_cast<uint8_t>(version << 6 | u.lastTry << 5 | u.allBelow << 4 | u.odd << 2 | u.link));
    raw.insert(raw.end(), {u.epoch, static_cast<uint8_t>(u.k - 1), u.n, u.index});
    append(raw, u.preset << 14 | u.sop << 13 | u.eop << 12 | u.pad, 2);
    append(raw, uint64_t(u.fsn) << 20 | u.tsn, 5);
    raw.insert(raw.end(), u.payload.begin(), u.payload.end());
    return seal(std::move(raw));
}

Bytes build(const ControlUnit& u) {
    const auto flags =
        static_cast<uint8_t>(u.hello | u.peerKnown << 1 | u.poll << 2 | u.reply << 3 | u.deaf << 4 | u.abandons << 5);
    Bytes raw{static_cast<uint8_t>(version << 6 | 0x10 | u.link), u.epoch, flags, u.peerEpoch};
    if (u.hello) {
        raw.push_back(static_cast<uint8_t>(u.packetCrc << 7 | u.windowLog2));
        append(raw, u.unitBytes, 2);
    } else {
        append(raw, u.ackTsn, 3);
    }
    append(raw, uint64_t(u.txBase) << 20 | u.txEdge, 5);
    append(raw, uint64_t(u.rxBase) << 20 | u.rxNext, 5);
    append(raw, uint64_t(u.bitmapBase) << 4, 3);
    append(raw, u.bitmap, 8);
    return seal(std::move(raw));
}

}  // namespace campaign
