// SPDX-License-Identifier: Apache-2.0
// The other end of a UART, bit by bit: 8 data bits, no parity, one stop bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace arqlink {

/// Clocks from byte to byte, as at 1.25 Mbit/s and 100 MHz: the firmware keeps up with that for ever.
constexpr unsigned firmwareByteClocks = 800;

/// Called once a clock with the level of the device's `tx`; gives the level of its `rx`.
class UartLine {
  public:
    /// `bitClocks`: clocks of a bit. `byteClocks`: least clocks from the start of one byte sent to that of the next, so that a
    /// program that takes bytes one by one keeps up; less than 10 bits counts as 10 bits.
    UartLine(unsigned bitClocks, unsigned byteClocks) : bitClocks_(bitClocks), byteClocks_(byteClocks) {}

    /// Queues bytes for the device.
    void send(const char* bytes, size_t count) { outgoing_.insert(outgoing_.end(), bytes, bytes + count); }
    /// Bytes queued still.
    size_t pending() const { return outgoing_.size(); }
    /// What came from the device; the caller takes it out. A byte without stop bit is left out.
    std::string& received() { return received_; }

    bool clock(bool tx) {
        receive(tx);
        return transmit();
    }

  private:
    static constexpr unsigned bits = 10;  // start, 8 of data, stop

    bool transmit() {
        if (sentClocks_ == 0) {
            if (outgoing_.empty()) return true;
            frame_ = 1u << 9 | unsigned(uint8_t(outgoing_.front())) << 1;
            outgoing_.pop_front();
        }
        const unsigned bit = sentClocks_ / bitClocks_;
        if (++sentClocks_ >= byteClocks_ && sentClocks_ >= bits * bitClocks_) sentClocks_ = 0;
        return bit >= bits || (frame_ >> bit & 1);
    }

    // A falling edge starts a byte; each bit is looked at in its middle.
    void receive(bool tx) {
        if (!receiving_) {
            receiving_ = wasHigh_ && !tx;
            wasHigh_ = tx;
            heardClocks_ = 0;
            heard_ = 0;
            return;
        }
        ++heardClocks_;
        if (heardClocks_ % bitClocks_ != bitClocks_ / 2) return;
        const unsigned bit = heardClocks_ / bitClocks_;
        heard_ |= unsigned(tx) << bit;
        if (bit < bits - 1) return;
        receiving_ = false;
        wasHigh_ = tx;
        if (tx) received_.push_back(char(heard_ >> 1 & 0xff));
    }

    const unsigned bitClocks_, byteClocks_;
    std::deque<char> outgoing_;
    std::string received_;
    unsigned sentClocks_ = 0, frame_ = 0;
    unsigned heardClocks_ = 0, heard_ = 0;
    bool receiving_ = false, wasHigh_ = false;
};

}  // namespace arqlink
