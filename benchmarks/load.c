/* A program that takes time and memory: ./load SECONDS MIB. It uses that much processor time and resident memory. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int count, char **words) {
    const double seconds = count > 1 ? atof(words[1]) : 0;
    const size_t bytes = count > 2 ? (size_t)atol(words[2]) << 20 : 0;
    volatile char *memory = malloc(bytes + 1);
    memset((void *)memory, 1, bytes);
    while ((double)clock() / CLOCKS_PER_SEC < seconds) {
        for (int step = 0; step < 1000000; step++) memory[0]++;
    }
    return 0;
}
