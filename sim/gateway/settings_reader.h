// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gateway_settings.h"
#include "json_job.h"

namespace arqlink::gateway {

/// The keys of a gateway's description (README.md, "Description"); checks it. Throws std::invalid_argument, with a sentence.
void fields(job::Object& keys, Settings& settings);

/// A whole description, as JSON.
Settings readSettings(const std::string& json);

/// By their names.
void to_json(nlohmann::json& json, const Counters& counters);

}  // namespace arqlink::gateway
