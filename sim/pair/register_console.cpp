// SPDX-License-Identifier: Apache-2.0
#include "register_console.h"

#include <sstream>

#include "arq_pair_sim.h"

namespace arqlink {

void steer(std::istream& in, std::ostream& out) {
    ArqPairSim pair;
    pair.reset();
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string verb, rest;
        uint64_t first = 0;
        uint32_t second = 0;
        words >> verb;
        if (verb == "read" && words >> first)
            out << pair.read(uint32_t(first));
        else if (verb == "write" && words >> first >> second)
            pair.write(uint32_t(first), second), out << "ok";
        else if (verb == "run" && words >> first)
            pair.run(first), out << pair.now();
        else
            throw std::runtime_error("'" + line + "' is not read ADDRESS, write ADDRESS VALUE or run CLOCKS.");
        if (words >> rest) throw std::runtime_error("'" + line + "' has words too many.");
        out << std::endl;
    }
}

}  // namespace arqlink
