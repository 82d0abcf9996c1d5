// What can this machine do at most? Arithmetic and memory, on as many threads as are asked for; `scripts/bench` runs it.
//
//   cc -O3 -march=native -pthread -o limits scripts/limits.c && ./limits 2
//
// Each figure is the best of five. Rows are what tables of vectors have: 64 numbers (256 bytes) or 256 (1 KiB).

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { WIDE = 64, MOST = 64, AHEAD = 12 };
static const long BYTES = 2L << 30;
static float *table, *other;
static uint32_t *drawn;

// What one thread does of a measurement.
typedef struct {
    long first, count; // of numbers or of rows
    long numbers;      // of a row
} Part;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Products and sums that depend on nothing but registers: sixteen numbers at a time where the machine can.
typedef float Vector __attribute__((vector_size(64)));
static void *multiply(void *own) {
    Part *part = own;
    Vector sums[16];
    // Unknown to the compiler, so that it computes every round.
    static volatile float half = 0.5f;
    Vector addend = (Vector){0} + half, factor = addend;
    for (int at = 0; at < 16; at++) sums[at] = addend;
    for (long round = 0; round < part->count; round++) {
#pragma GCC unroll 16
        for (int at = 0; at < 16; at++) sums[at] = sums[at] * factor + addend;
    }
    Vector all = sums[0];
    for (int at = 1; at < 16; at++) all += sums[at];
    other[part->first] = all[0];
    return NULL;
}

static void *copy(void *own) {
    Part *part = own;
    memcpy(other + part->first, table + part->first, part->count * sizeof(float));
    return NULL;
}

// Sums of rows in a random order, each asked for before it is needed.
static void *add_rows(void *own) {
    Part *part = own;
    long n = part->numbers;
    float sums[4 * WIDE] = {0};
    for (long at = part->first; at < part->first + part->count; at++) {
        const float *next = table + (long)drawn[at + AHEAD] * n;
        for (long byte = 0; byte < n; byte += 16) __builtin_prefetch(next + byte);
        const float *row = table + (long)drawn[at] * n;
        for (long k = 0; k < n; k++) sums[k] += row[k];
    }
    memcpy(other + part->first, sums, sizeof sums);
    return NULL;
}

// A step of an optimizer like Adam: rows in rising order of three tables, read and written.
static void *update_rows(void *own) {
    Part *part = own;
    long n = part->numbers, rows = BYTES / 4 / n / 3;
    float *first = table, *second = table + rows * n, *third = table + 2 * rows * n;
    for (long at = part->first; at < part->first + part->count; at++) {
        long row = (long)drawn[at] * n;
        float *x = first + row, *m = second + row, *v = third + row;
        for (long k = 0; k < n; k++) {
            m[k] *= 0.9f;
            v[k] *= 0.999f;
            x[k] += m[k] * v[k];
        }
    }
    return NULL;
}

static double best_of_five(void *(*work)(void *), long count, long numbers, int threads) {
    double best = 1e9;
    for (int rep = 0; rep < 5; rep++) {
        pthread_t thread[MOST];
        Part part[MOST];
        double begun = now();
        for (int at = 0; at < threads; at++) {
            part[at] = (Part){.first = at * (count / threads), .count = count / threads, .numbers = numbers};
            pthread_create(&thread[at], NULL, work, &part[at]);
        }
        for (int at = 0; at < threads; at++) pthread_join(thread[at], NULL);
        double seconds = now() - begun;
        if (seconds < best) best = seconds;
    }
    return best;
}

static int rising(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void draw(long count, long rows) {
    static uint64_t state = 88172645463325252u;
    for (long at = 0; at < count; at++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        drawn[at] = state % rows;
    }
}

static void *huge(long bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) perror("limits"), exit(1);
    madvise(pages, bytes, MADV_HUGEPAGE);
    memset(pages, 0, bytes);
    return pages;
}

int main(int count, char **words) {
    int threads = count > 1 ? atoi(words[1]) : 1;
    if (threads < 1 || threads > MOST) return fprintf(stderr, "limits: 1 to %d threads\n", MOST), 2;
    long most = 8000000;
    table = huge(BYTES), other = huge(BYTES), drawn = huge((most + AHEAD) * sizeof *drawn);

    long rounds = 200000000L * threads;
    printf("products and sums: %.0f GFLOP/s\n", rounds * 16 * 16 * 2 / best_of_five(multiply, rounds, 0, threads) / 1e9);
    printf("copy, read and written: %.1f GB/s\n", 2 * BYTES / best_of_five(copy, BYTES / 4, 0, threads) / 1e9);
    static const struct { long rows, numbers, reads; } sums[] = {
        {14541, 64, 8000000}, {122000, 64, 8000000}, {418000, 64, 8000000}, {418000, 256, 4000000},
    };
    for (unsigned at = 0; at < sizeof sums / sizeof *sums; at++) {
        long rows = sums[at].rows, n = sums[at].numbers, reads = sums[at].reads;
        draw(reads + AHEAD, rows);
        printf("random rows of %ld bytes of %ld: %.1f GB/s\n", 4 * n, rows,
               reads * n * 4 / best_of_five(add_rows, reads, n, threads) / 1e9);
    }
    static const long updated[] = {70000, 380000};
    for (unsigned at = 0; at < 2; at++) {
        draw(updated[at], 418000);
        qsort(drawn, updated[at], sizeof *drawn, rising);
        printf("rows of 1 KiB of three tables, %ld of 418000 read and written: %.1f GB/s\n", updated[at],
               updated[at] * 6 * 1024.0 / best_of_five(update_rows, updated[at], 256, threads) / 1e9);
    }
    return 0;
}
