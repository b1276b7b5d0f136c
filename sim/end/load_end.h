// SPDX-License-Identifier: Apache-2.0
// Loads the shared library of a link end.
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "link_end.h"

namespace verilated_end {

/// What makes ends of the build in `library`. Throws std::runtime_error.
inline MakeLinkEnd load(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw std::runtime_error(std::string("The model of a link end cannot be loaded: ") + dlerror());
    const auto make = reinterpret_cast<MakeLinkEnd>(dlsym(handle, "makeLinkEnd"));
    if (!make) throw std::runtime_error(library + " is not the model of a link end.");
    return make;
}

}  // namespace verilated_end
