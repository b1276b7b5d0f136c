// SPDX-License-Identifier: Apache-2.0
#include "model_output.h"

#include <cstdarg>
#include <cstdio>
#include <string>

#include "verilated.h"

namespace {
std::string said;            // what the model printed
bool stopRequested = false;  // by $finish, $stop, or a fatal error of the model
}  // namespace

int modelPrint(const char* format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    const int count = std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (said.size() < 2000) said += line;
    return count;
}

void modelBegins() {
    said.clear();
    stopRequested = false;
}

const char* modelStopped() { return stopRequested ? said.c_str() : nullptr; }

void vl_finish(const char* file, int line, const char*) VL_MT_UNSAFE {
    modelPrint("(%s:%d)", file, line);
    stopRequested = true;
}
void vl_stop(const char* file, int line, const char*) VL_MT_UNSAFE {
    modelPrint("(%s:%d)", file, line);
    stopRequested = true;
}
void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
    modelPrint("%s (%s:%d)", message, file, line);
    stopRequested = true;
}
