// SPDX-License-Identifier: Apache-2.0
#include "json_job.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace arqlink::job {

namespace {

using nlohmann::json;

/// For a sentence. What has parts is not shown, as it may be long.
std::string shown(const json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array()) return "a list of " + std::to_string(value.size());
    constexpr size_t most = 100;
    const std::string text = lineOf(value);
    return text.size() <= most ? text : text.substr(0, most) + "…";
}

std::string among(const std::vector<const char*>& names) {
    std::string text;
    for (size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + std::string(names[i]);
    return text;
}

}  // namespace

std::string Value::path() const {
    if (!in_) return "";
    const std::string before = in_->path();
    if (!key_) return before + "[" + std::to_string(index_) + "]";
    return before.empty() ? key_ : before + "." + key_;
}

void Value::refuse(const std::string& rule) const {
    throw std::invalid_argument((in_ ? path() : "The job") + " is " + shown(json_) + "; it must be " + rule + ".");
}

bool Value::isNull() const { return json_.is_null(); }

bool Value::flag() const {
    if (!json_.is_boolean()) refuse("true or false");
    return json_.get<bool>();
}

double Value::number() const {
    if (!json_.is_number()) refuse("a number");
    return json_.get<double>();
}

int64_t Value::integer(int64_t least, int64_t most) const {
    const bool fits = json_.is_number_unsigned() ? json_.get<uint64_t>() <= static_cast<uint64_t>(most)
                                                 : json_.is_number_integer() && json_.get<int64_t>() >= least;
    if (!fits) refuse("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return json_.get<int64_t>();
}

uint64_t Value::natural(uint64_t most) const {
    if (!json_.is_number_unsigned() || json_.get<uint64_t>() > most)
        refuse("a whole number from 0 to " + std::to_string(most));
    return json_.get<uint64_t>();
}

std::string Value::text() const {
    if (!json_.is_string()) refuse("a text");
    return json_.get<std::string>();
}

FileName Value::fileName() const {
    if (isNull()) return {};
    FileName name;
    const std::string utf8 = text();
    for (size_t i = 0; i < utf8.size(); ++i) {
        const auto byte = static_cast<unsigned char>(utf8[i]);
        if (byte == 0 || byte > 0xc3) refuse("the name of a file, whose characters are bytes");
        // Two bytes are a code point from 0x80 to 0xff.
        name.bytes += byte < 0x80 ? utf8[i] : static_cast<char>((byte & 3) << 6 | (utf8[++i] & 0x3f));
    }
    return name;
}

size_t Value::choice(const std::vector<const char*>& names) const {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [this](const char* name) { return json_.is_string() && json_ == name; });
    if (found == names.end()) refuse(among(names));
    return static_cast<size_t>(found - names.begin());
}

size_t Value::size() const {
    if (!json_.is_array()) refuse("a list");
    return json_.size();
}

void Value::demandSize(size_t count) const {
    if (size() != count) refuse("a list of " + std::to_string(count));
}

Value Value::operator[](size_t index) const { return {json_[index], this, nullptr, index}; }

Object::Object(const Value& value) : value_(value) {
    if (!value.json_.is_object()) value.refuse("an object with keys");
}

bool Object::has(const char* key) {
    known_.push_back(key);
    return value_.json_.contains(key);
}

Value Object::find(const char* key) {
    known_.push_back(key);
    const auto found = value_.json_.find(key);
    const Value named(value_.json_, &value_, key);
    if (found == value_.json_.end()) throw std::invalid_argument(named.path() + " is missing.");
    return {*found, &value_, key};
}

std::vector<std::string> Object::keys() const {
    std::vector<std::string> all;
    for (const auto& [key, value] : value_.json_.items()) all.push_back(key);
    return all;
}

void Object::finish() const {
    for (const auto& [key, value] : value_.json_.items()) {
        const auto isIt = [&key = key](const char* known) { return key == known; };
        if (std::none_of(known_.begin(), known_.end(), isIt))
            throw std::invalid_argument(lineOf(Value(value, &value_, key.c_str()).path()) + " is not a key of a job.");
    }
}

Document::Document(const std::string& text) {
    try {
        json_ = std::make_unique<json>(json::parse(text));
    } catch (const json::exception& error) {
        throw std::invalid_argument(std::string("The job is not JSON: ") + error.what() + ".");
    }
}

Document::~Document() = default;
Value Document::root() const { return Value(*json_); }

std::string textOf(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

std::string lineOf(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace arqlink::job
