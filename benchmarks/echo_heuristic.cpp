// A heuristic that reads batches of states and gives the same value to all of them.
#include <cstdio>

int main() {
    static char line[1 << 16];
    for (int count; std::fgets(line, sizeof line, stdin) && std::sscanf(line, "%d", &count) == 1; std::fflush(stdout))
        for (; count > 0 && std::fgets(line, sizeof line, stdin); --count)
            std::puts("7");
}
