// SPDX-License-Identifier: Apache-2.0
// Results as JSON; with the library's own header, which takes the compiler two seconds.
#pragma once

#include <nlohmann/json.hpp>

#include "json_job.h"

namespace arqlink::job {

/// Adds values to an object, each behind its key.
template <class T, class... More>
void add(nlohmann::json& object, const char* key, const T& value, const More&... more) {
    object[key] = value;
    if constexpr (sizeof...(more) > 0) add(object, more...);
}

template <class... Pairs>
nlohmann::json object(const Pairs&... pairs) {
    nlohmann::json all;
    add(all, pairs...);
    return all;
}

}  // namespace arqlink::job
