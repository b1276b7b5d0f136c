// SPDX-License-Identifier: Apache-2.0
// The link in the jobs of the programs of this folder, of sim/live and of research/tcp (README.md, "Runs"), and in their results.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "erasures.h"
#include "json_job.h"
#include "link_model.h"

namespace arqlink {

enum class Model { event, rtl };

struct LinkDescription {
    Model model = Model::event;
    job::FileName library;  ///< of a link end, for `rtl`
    LinkSettings settings;
    std::optional<ErasureSettings> erasures[2];  ///< by the end that sends

    /// `rests`: whether clocks in which neither end of an `rtl` model has anything to do are left out.
    std::unique_ptr<LinkModel> make(std::unique_ptr<ErasureProcess> aToB, std::unique_ptr<ErasureProcess> bToA,
                                    bool rests) const;
};

inline std::vector<const char*> namesOf(End) { return {"A", "B"}; }
/// Checks the settings too.
void fields(job::Object& keys, LinkDescription& link);
void fields(job::Object& keys, ErasureSettings& process);

/// By their names.
void to_json(nlohmann::json& json, const Counters& counters);

}  // namespace arqlink
