// A* for grid maps as a server, which reads a map once for all its problems.  ./grid_server
//
// Build: g++ -std=c++17 -O2 -o grid_server grid_server.cpp
// Request: {"id": "1_open#1", "map": "/tmp/a.map", "start": "1,2", "goal": "3,4"}, and "weight" if it is not 1
// Answer: {"seconds": 0.00002, "status": "solved", "cost": 2.828427125, "plan": "1,2 2,3 3,4", "id": "1_open#1"}

#include <chrono>
#include <memory>

#include "grid.hpp"
#include "server.hpp"

static std::unique_ptr<Map> map;  // of the last request, because problems come map by map
static std::string map_path;

Reply answer(const Request& request) {
    if (request.text("map") != map_path) {
        map = std::make_unique<Map>(request.text("map"));
        map_path = request.text("map");
    }
    const Cell start = read_cell(request.text("start"));
    const Cell goal = read_cell(request.text("goal"));
    const double weight = request.has("weight") ? request.number("weight") : 1;
    const auto begin = std::chrono::steady_clock::now();
    const Result result = astar(*map, start, goal, weight);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    Reply reply;
    reply.number("expanded", result.expanded).number("generated", result.generated).number("seconds", seconds.count());
    if (result.path.empty()) return reply.text("status", "unsolvable");
    return reply.text("status", "solved").number("cost", result.cost).text("plan", text_of(result.path));
}

int main() { return serve(answer); }
