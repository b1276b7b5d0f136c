// SPDX-License-Identifier: Apache-2.0
#include "congestion.h"

#include <algorithm>

namespace arqlink::gateway {

namespace {

constexpr size_t unlimited = size_t{1} << 40;

// As fast as the link takes it. After a timeout in slow start, until all that was sent before it has arrived or was sent again.
class WholeWindow final : public Congestion {
  public:
    explicit WholeWindow(size_t segment) : segment_(segment) {}
    size_t window() const override { return window_; }
    void acknowledged(size_t bytes, bool) override {
        if (window_ < unlimited) window_ += bytes;
    }
    void lost(size_t) override {}
    void timedOut(size_t) override { window_ = segment_; }
    void recovered() override { window_ = unlimited; }

  private:
    const size_t segment_;
    size_t window_ = unlimited;
};

// RFC 5681; the recovery itself is RFC 6582's, in Outlet.
class NewReno : public Congestion {
  public:
    explicit NewReno(size_t segment) : segment_(segment), window_(initialWindow(segment)) {}
    size_t window() const override { return static_cast<size_t>(window_); }
    void acknowledged(size_t bytes, bool isLimited) override {
        if (!isLimited) return;  // RFC 7661: what is not used does not grow
        const double segment = static_cast<double>(segment_);
        if (window_ < threshold_)
            window_ += std::min(static_cast<double>(bytes), segment);
        else
            window_ += segment * segment / window_;
    }
    void lost(size_t inFlight) override {
        threshold_ = threshold(inFlight);
        window_ = std::min(window_, threshold_);
    }
    void timedOut(size_t inFlight) override {
        threshold_ = threshold(inFlight);
        window_ = static_cast<double>(segment_);
    }

  protected:
    virtual double threshold(size_t inFlight) const {
        return std::max(static_cast<double>(inFlight) / 2, 2 * static_cast<double>(segment_));
    }
    double segmentBytes() const { return static_cast<double>(segment_); }

  private:
    // RFC 3390.
    static double initialWindow(size_t segment) {
        return static_cast<double>(std::min(4 * segment, std::max<size_t>(2 * segment, 4380)));
    }
    const size_t segment_;
    double window_, threshold_ = static_cast<double>(unlimited);
};

// The window after a loss is the estimated bandwidth times the least round trip (Mascolo, Casetti, Gerla, Sanadidi & Wang, MobiCom 2001):
// the rate of the data that ACKs say have arrived, duplicate ones too (section 2.1), through a low-pass filter with the time constant of its
// section 2.2.
class Westwood final : public NewReno {
  public:
    using NewReno::NewReno;
    void delivered(size_t bytes, Time now) override {
        pending_ += static_cast<double>(bytes);
        if (now > last_) {
            const double gap = static_cast<double>(now - last_) / seconds;
            const double rate = pending_ / gap;
            const double keep = std::max(0.0, (2 * filterSeconds - gap) / (2 * filterSeconds + gap));
            bandwidth_ = keep * bandwidth_ + (1 - keep) * (rate + lastRate_) / 2;
            lastRate_ = rate;
            pending_ = 0;
            last_ = now;
        }
    }
    void measured(Time roundTrip) override { leastRoundTrip_ = std::min(leastRoundTrip_, roundTrip); }

  protected:
    double threshold(size_t inFlight) const override {
        if (leastRoundTrip_ == never) return NewReno::threshold(inFlight);
        return std::max(bandwidth_ * static_cast<double>(leastRoundTrip_) / seconds, 2 * segmentBytes());
    }

  private:
    static constexpr double filterSeconds = 0.5;
    double bandwidth_ = 0, lastRate_ = 0, pending_ = 0;  // bytes a second
    Time last_ = 0, leastRoundTrip_ = never;
};

}  // namespace

std::unique_ptr<Congestion> makeCongestion(Sender sender, size_t segment) {
    switch (sender) {
    case Sender::newReno: return std::make_unique<NewReno>(segment);
    case Sender::westwood: return std::make_unique<Westwood>(segment);
    case Sender::window: break;
    }
    return std::make_unique<WholeWindow>(segment);
}

void RetransmissionTimer::measured(Time roundTrip) {
    shortest_ = std::min(shortest_, roundTrip);
    if (isMeasured_) {
        const Time off = smoothed_ > roundTrip ? smoothed_ - roundTrip : roundTrip - smoothed_;
        deviation_ = (3 * deviation_ + off) / 4;
        smoothed_ = (7 * smoothed_ + roundTrip) / 8;
    } else {
        smoothed_ = roundTrip;
        deviation_ = roundTrip / 2;
        isMeasured_ = true;
    }
    answered();
}

void RetransmissionTimer::answered() {
    const Time wanted = isMeasured_ ? smoothed_ + std::max<Time>(4 * deviation_, milliseconds) : 1 * seconds;
    timeout_ = std::clamp(wanted, least_, most_);
}

}  // namespace arqlink::gateway
