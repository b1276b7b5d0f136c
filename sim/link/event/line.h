// SPDX-License-Identifier: Apache-2.0
// What an end puts on the PHY, unit by unit: messages at unit boundaries, frames one after the other (Sender 2).
#pragma once

#include <deque>
#include <optional>

#include "latencies.h"
#include "units.h"

namespace arqlink::event {

class Line {
  public:
    Line(const Build& build, const UnitClocks& unit, Counters& counters, Wire& out)
        : clocks_(unit),
          latencies_(Latencies::of(build)),
          leadUnits_(static_cast<unsigned>((latencies_.lead + build.dataBeats() - 1) / build.dataBeats())),
          payloadBeats_(build.unitBytes / build.dataBytes),
          counters_(counters),
          out_(out) {}

    /// A message waits for the next unit boundary, from clock `ready` on.
    void offer(const Control& message, Clock ready);
    bool hasMessage() const { return message_.has_value(); }
    /// The next message can be decided on from this clock on: the one before has been read; or never, as it still waits.
    Clock open() const { return message_ ? never : open_; }

    /// A frame was chosen at `now`.
    void choose(const Transmission& next, Clock now);
    /// The next frame is to be chosen from this clock on, or never.
    Clock wanted() const;
    /// A frame leaves, or may as soon as a message has left.
    bool sending(Clock now) const { return current_ || (!chosen_.empty() && chosen_.front().comes <= now + 1); }
    bool idle() const { return !current_ && chosen_.empty(); }  ///< and none is chosen

    /// When the line has something to do: a unit or run of units ends, or something that waits begins.
    Clock next() const;
    struct Step {
        bool frame = false;   ///< a transmission has left in full
        bool begins = false;  ///< the transmission `current()` begins to leave
        Clock unit = never;   ///< data units begin to leave; the first of them has been read by this clock
    };
    Step step(Clock now);
    const Transmission& current() const { return *current_; }

    /// All that was sent has left by this clock.
    Clock free() const { return free_; }

  private:
    void cut(Clock ready);
    Clock dataReady() const;

    struct Chosen {
        Transmission transmission;
        Clock comes, payload;  ///< it, and its first payload, are there
    };

    const UnitClocks clocks_;
    const Latencies latencies_;
    const unsigned leadUnits_, payloadBeats_;
    Counters& counters_;
    Wire& out_;

    std::optional<Control> message_;
    std::optional<Transmission> current_;
    std::deque<Chosen> chosen_;  // have not begun to leave …
    unsigned ahead_ = 0;         // … and their units
    Clock messageReady_ = 0, mayChoose_ = 0;
    unsigned unit_ = 0;               // next unit of current_
    Clock payload_ = 0, parity_ = 0;  // of current_: its first data unit, and its first parity unit, leave no earlier
    Clock begin_ = 0;                 // what is leaving began to leave …
    unsigned run_ = 0;                // … units of current_ …
    bool control_ = false;            // … or a message
    bool dataFirst_ = false;          // a message has left: a data unit that waits goes first
    Clock free_ = 0, open_ = 0;
};

}  // namespace arqlink::event
