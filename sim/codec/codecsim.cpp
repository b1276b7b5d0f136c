// SPDX-License-Identifier: Apache-2.0
// Pushes frames from standard input through the Verilated RsEncoder or RsDecoder to standard output.
//
//   codecsim JOB
//
// JOB is JSON (sim/job): `preset`, a number; `k`; `shape`, which is N for the encoder, and for the decoder the bitmap of the K units that come in;
// `unit_bytes`; `frames`; `waves`, an FST file, or null.
// Standard input is FRAMES times K units; standard output FRAMES times N (encoder) or K (decoder) units. Lines
// "progress DONE TOTAL" on standard error count frames. Exit code 1, with a sentence there: a stream is short or the block broke its contract.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

#include "json_job.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#ifdef CODEC_ENCODER
#include "VRsEncoder.h"
using Block = VRsEncoder;
#else
#include "VRsDecoder.h"
using Block = VRsDecoder;
#endif

namespace {

constexpr uint64_t kStuckClocks = 1000000;
constexpr uint64_t kProgressBeats = 1 << 17;

struct Job {
    unsigned preset, k;
    uint64_t shape;
    size_t unitBytes;
    uint64_t frames;
    arqlink::job::FileName waves;

    uint64_t unitsOut() const {
#ifdef CODEC_ENCODER
        return shape;
#else
        return k;
#endif
    }
};

void fields(arqlink::job::Object& keys, Job& j) {
    keys.need("preset", j.preset, "k", j.k, "shape", j.shape, "unit_bytes", j.unitBytes, "frames", j.frames);
    keys.need("waves", j.waves);
}

[[noreturn]] void fail(const char* sentence) {
    std::fprintf(stderr, "%s\n", sentence);
    std::exit(1);
}

/// The block with its clock and the beats on both sides.
class Codec {
  public:
    explicit Codec(const Job& job) : job_(job), beatIn_(kWidth), beatOut_(kWidth) {
        if (!job.waves.empty()) {
#if VM_TRACE
            context_.traceEverOn(true);
            top_.trace(&trace_, 99);
            trace_.open(job.waves.bytes.c_str());
#else
            fail("This program was built without tracing; waves need the build that has it.");
#endif
        }
        top_.aclk = 0;
        top_.aresetn = 0;
        top_.job_valid = top_.s_axis_tvalid = top_.s_axis_tlast = top_.m_axis_tready = 0;
        for (int i = 0; i < 4; i++) clock();
        top_.aresetn = 1;
        top_.m_axis_tready = 1;
        top_.job_preset = job.preset;
        top_.job_k = job.k;
#ifdef CODEC_ENCODER
        top_.job_n = job.shape;
#else
        top_.job_received = job.shape;
#endif
    }

    void run() {
        const uint64_t beatsIn = job_.frames * job_.k * beatsPerUnit();
        const uint64_t beatsOut = job_.frames * job_.unitsOut() * beatsPerUnit();
        uint64_t jobs = 0, in = 0, out = 0, idle = 0;
        bool offered = false;
        while (out < beatsOut) {
            if (!offered && in < beatsIn) {
                if (std::fread(beatIn_.data(), 1, kWidth, stdin) != kWidth) fail("The input ends within a frame.");
                std::memcpy(&top_.s_axis_tdata, beatIn_.data(), kWidth);
                top_.s_axis_tlast = (in + 1) % beatsPerUnit() == 0;
                offered = true;
            }
            top_.s_axis_tvalid = offered;
            top_.job_valid = jobs < job_.frames;
            top_.eval();
            const bool jobTaken = top_.job_valid && top_.job_ready;
            const bool taken = offered && top_.s_axis_tready;
            const bool given = top_.m_axis_tvalid;
            if (given) {
                std::memcpy(beatOut_.data(), &top_.m_axis_tdata, kWidth);
                if (std::fwrite(beatOut_.data(), 1, kWidth, stdout) != kWidth) fail("The output cannot be written.");
                if (bool(top_.m_axis_tlast) != ((out + 1) % beatsPerUnit() == 0)) fail("A unit has a wrong length.");
            }
            clock();
            jobs += jobTaken;
            in += taken;
            out += given;
            if (given && out % kProgressBeats == 0)
                std::fprintf(stderr, "progress %" PRIu64 " %" PRIu64 "\n", out / (job_.unitsOut() * beatsPerUnit()),
                             job_.frames);
            if (taken) offered = false;
            idle = taken || given ? 0 : idle + 1;
            if (idle > kStuckClocks) fail("The codec is stuck.");
        }
    }

  private:
    static constexpr size_t kWidth = CODEC_DATA_BYTES;
    static_assert(sizeof(Block::s_axis_tdata) >= kWidth, "the block is narrower than CODEC_DATA_BYTES");

    uint64_t beatsPerUnit() const { return job_.unitBytes / kWidth; }

    void clock() {
        top_.aclk = 1;
        top_.eval();
        if (context_.gotFinish()) fail("An invariant of the model does not hold; what it said is above.");
        dump(10 * clocks_);
        top_.aclk = 0;
        top_.eval();
        dump(10 * clocks_ + 5);
        clocks_++;
    }

    void dump([[maybe_unused]] uint64_t time) {
#if VM_TRACE
        if (trace_.isOpen()) trace_.dump(time);
#endif
    }

    Job job_;
    VerilatedContext context_;
    Block top_{&context_};
#if VM_TRACE
    VerilatedFstC trace_;
#endif
    std::vector<char> beatIn_, beatOut_;
    uint64_t clocks_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 2) throw std::invalid_argument("codecsim has one argument, its job.");
        const auto job = arqlink::job::parse<Job>(argv[1]);
        if (job.unitBytes == 0 || job.unitBytes % CODEC_DATA_BYTES)
            throw std::invalid_argument("unit_bytes is not a multiple of the built width.");
        std::make_unique<Codec>(job)->run();
    } catch (const std::exception& error) {
        fail(error.what());
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
}
