// The smallest server: it answers "unsolvable" to every request.  ./echo_server
//
// Build: g++ -std=c++17 -O2 -o echo_server echo_server.cpp
// Answer: {"status": "unsolvable", "expanded": 0, "id": "1_open#1"}

#include "server.hpp"

Reply answer(const Request&) {
    return Reply().text("status", "unsolvable").number("expanded", 0);
}

int main() { return serve(answer); }
