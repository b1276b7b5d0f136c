// SPDX-License-Identifier: Apache-2.0
// The lines that describe a link to the programs of this folder and of research/tcp: see README.md, "Runs".
#pragma once

#include <istream>
#include <memory>
#include <string>

#include "link_model.h"

namespace arqlink {

struct LinkDescription {
    std::string model = "event";  ///< or `rtl`
    std::string library;          ///< of a link end, for `rtl`
    LinkSettings settings;
    std::string
        erasures[2];  ///< descriptions of processes (makeErasures), by the end that sends; empty: none was given

    /// Takes the rest of a line that begins with `key`; false if the key is not one of a link. Throws std::invalid_argument.
    bool take(const std::string& key, std::istream& words);

    /// `rests`: whether clocks in which neither end of an `rtl` model has anything to do are left out.
    std::unique_ptr<LinkModel> make(std::unique_ptr<ErasureProcess> aToB, std::unique_ptr<ErasureProcess> bToA,
                                    bool rests) const;
};

/// "A" or "B". Throws std::invalid_argument.
End endNamed(const std::string& name);

/// Calls `take(key, rest of the line)` for each line that is not empty. Throws std::invalid_argument, naming the line, where it returns false
/// or leaves the rest in a failed state.
void readLines(std::istream& in, const std::function<bool(const std::string&, std::istream&)>& take);

}  // namespace arqlink
