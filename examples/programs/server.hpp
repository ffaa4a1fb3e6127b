// For programs that answer many instances (`serve: true`): a line of flat JSON on standard input, a line as the answer.
// Write a function `Reply answer(const Request&)`, and end with `int main() { return serve(answer); }`.
#pragma once

#include <cstdio>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

// A line such as {"map": "/tmp/a.map", "start": "1,2", "seed": 1}. Numbers are kept as texts.
class Request {
  public:
    explicit Request(const std::string& line) {
        for (size_t at = line.find('"'); at < line.size(); at = line.find('"', at)) {
            const std::string key = quoted(line, at);
            at = line.find_first_not_of(": ", at);
            if (at >= line.size()) break;
            const size_t end = line.find_first_of(",}", at);
            values[key] = line[at] == '"' ? quoted(line, at) : line.substr(at, end - at);
        }
    }

    bool has(const std::string& key) const { return values.count(key) > 0; }

    const std::string& text(const std::string& key) const {
        if (!has(key)) throw std::runtime_error("the request has no " + key);
        return values.at(key);
    }

    double number(const std::string& key) const { return std::stod(text(key)); }

  private:
    std::map<std::string, std::string> values;

    // Read a string from its opening quote on, and leave `at` behind its closing quote.
    static std::string quoted(const std::string& line, size_t& at) {
        std::string text;
        for (++at; at < line.size() && line[at] != '"'; ++at) {
            if (line[at] == '\\') ++at;
            text += line[at];
        }
        ++at;
        return text;
    }
};

class Reply {
  public:
    Reply& text(const std::string& key, const std::string& value) {
        std::string escaped;
        for (const char letter : value) {
            if (letter == '"' || letter == '\\') escaped += '\\';
            escaped += letter;
        }
        return add(key, '"' + escaped + '"');
    }

    Reply& number(const std::string& key, double value) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.15g", value);
        return add(key, digits);
    }

    std::string line() const { return "{" + members + "}\n"; }

  private:
    std::string members;

    Reply& add(const std::string& key, const std::string& value) {
        members += (members.empty() ? "\"" : ", \"") + key + "\": " + value;
        return *this;
    }
};

inline int serve(Reply (*answer)(const Request&)) {
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        const Request request(line);
        Reply reply;
        try {
            reply = answer(request);
        } catch (const std::exception& error) {
            reply.text("status", "error").text("error", error.what());
        }
        if (request.has("id")) reply.text("id", request.text("id"));  // which request this answers
        std::cout << reply.line() << std::flush;
    }
    return 0;
}
