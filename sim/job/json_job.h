// SPDX-License-Identifier: Apache-2.0
// A program's job, as JSON: read strictly into structures. README.md says what that means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace arqlink::job {

/// The name of a file, which is bytes: in JSON each of them is the code point of its number.
struct FileName {
    std::string bytes;  ///< empty: none, null in JSON
    operator const std::string&() const { return bytes; }
    bool empty() const { return bytes.empty(); }
};

/// A value of a job, which knows its way there. Throws std::invalid_argument, with a sentence that names both, where it is not what is asked for.
class Value {
  public:
    explicit Value(const nlohmann::json& json) : json_(json) {}

    bool isNull() const;
    bool flag() const;
    double number() const;
    int64_t integer(int64_t least, int64_t most) const;
    uint64_t natural(uint64_t most) const;
    std::string text() const;
    FileName fileName() const;
    /// Its place among `names`.
    size_t choice(const std::vector<const char*>& names) const;

    /// Elements of a list; `count`: how many it must have.
    size_t size() const;
    void demandSize(size_t count) const;
    Value operator[](size_t index) const;

    [[noreturn]] void refuse(const std::string& rule) const;

  private:
    friend class Object;
    Value(const nlohmann::json& json, const Value* in, const char* key, size_t index = 0)
        : json_(json), in_(in), key_(key), index_(index) {}
    std::string path() const;

    const nlohmann::json& json_;
    const Value* in_ = nullptr;  // nullptr: this is the job
    const char* key_ = nullptr;  // nullptr: this is an element
    size_t index_ = 0;
};

/// A value with keys, each of which somebody has to ask for.
class Object {
  public:
    explicit Object(const Value& value);

    /// Reads keys that must be there, each into the variable behind it.
    template <class T, class... More>
    Object& need(const char* key, T& into, More&&... more) {
        read(find(key), into);
        if constexpr (sizeof...(more) > 0) need(std::forward<More>(more)...);
        return *this;
    }
    /// Reads keys that may be left out: their variables stay as they are.
    template <class T, class... More>
    Object& take(const char* key, T& into, More&&... more) {
        if (has(key)) need(key, into);
        if constexpr (sizeof...(more) > 0) take(std::forward<More>(more)...);
        return *this;
    }
    bool has(const char* key);
    Value find(const char* key);
    std::vector<std::string> keys() const;
    /// Throws where a key is left that nobody asked for.
    void finish() const;

  private:
    const Value& value_;
    std::vector<const char*> known_;
};

inline void read(const Value& value, bool& into) { into = value.flag(); }
inline void read(const Value& value, double& into) { into = value.number(); }
inline void read(const Value& value, std::string& into) { into = value.text(); }
inline void read(const Value& value, FileName& into) { into = value.fileName(); }

/// Integers; enumerations from 0 on, whose names `namesOf` gives in order; structures, whose keys `fields` asks for.
template <class T>
void read(const Value& value, T& into) {
    if constexpr (std::is_enum_v<T>) {
        into = static_cast<T>(value.choice(namesOf(T{})));
    } else if constexpr (std::is_unsigned_v<T>) {
        into = static_cast<T>(value.natural(std::numeric_limits<T>::max()));
    } else if constexpr (std::is_integral_v<T>) {
        into = static_cast<T>(value.integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else {
        Object object(value);
        fields(object, into);
        object.finish();
    }
}

/// null: none.
template <class T>
void read(const Value& value, std::optional<T>& into) {
    into.reset();
    if (!value.isNull()) read(value, into.emplace());
}

template <class T, size_t count>
void read(const Value& value, T (&into)[count]) {
    value.demandSize(count);
    for (size_t i = 0; i < count; ++i) read(value[i], into[i]);
}

template <class T, class U>
void read(const Value& value, std::pair<T, U>& into) {
    value.demandSize(2);
    read(value[0], into.first);
    read(value[1], into.second);
}

template <class T>
void read(const Value& value, std::vector<T>& into) {
    into.assign(value.size(), T());
    for (size_t i = 0; i < into.size(); ++i) read(value[i], into[i]);
}

template <class T>
void read(const Value& value, std::map<std::string, T>& into) {
    Object object(value);
    const std::vector<std::string> keys = object.keys();
    into.clear();
    for (const std::string& key : keys) object.need(key.c_str(), into[key]);
}

/// Text as JSON.
class Document {
  public:
    /// Throws std::invalid_argument where it is none.
    explicit Document(const std::string& text);
    ~Document();
    Value root() const;

  private:
    std::unique_ptr<nlohmann::json> json_;
};

template <class T>
T parse(const std::string& text) {
    const Document document(text);
    T job;
    read(document.root(), job);
    return job;
}

/// All that comes.
std::string textOf(std::istream& in);

/// As a line. What is no UTF-8 in texts is replaced.
std::string lineOf(const nlohmann::json& json);

}  // namespace arqlink::job
