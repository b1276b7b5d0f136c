/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast ISA-L decodes erasures on one CPU core when each frame has a fresh pattern: decode_isal K N UNIT_BYTES SECONDS.
 * Prints bytes of data units a second, or with --version that of ISA-L. Each frame has lost N - K units drawn at random. With t data units missing, t of the parity
 * units that came replace them: the work per frame is inverting a t x t matrix (not one of K x K, which is many times slower),
 * multiplying it out to rows of K coefficients, expanding these into tables, and computing the missing units.
 */
#define _POSIX_C_SOURCE 200809L
#include <isa-l.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRAMES 64 /* different frames, so that all stay in the second-level cache */
#define CHECKED 4096

struct code {
    int k, n, unit;
    uint8_t matrix[255 * 255];
};

static uint32_t draw(uint32_t below) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) * below >> 32);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The indexes of the K units that came, in ascending order, after N - K of N were lost. */
static void draw_received(const struct code *code, int *received) {
    uint8_t lost[255] = {0};
    for (int left = code->n - code->k; left > 0;) {
        const uint32_t i = draw((uint32_t)code->n);
        left -= !lost[i];
        lost[i] = 1;
    }
    for (int i = 0; i < code->n; ++i)
        if (!lost[i]) *received++ = i;
}

/* Computes the missing data units of a frame into `recovered`; returns how many they are, and their indexes in `missing`. */
static int decode(const struct code *code, uint8_t *const *units, const int *received, uint8_t **recovered,
                  int *missing) {
    static uint8_t square[255 * 255], inverse[255 * 255], rows[255 * 255], tables[255 * 255 * 32];
    const int k = code->k;
    uint8_t *sources[255];
    int present = 0, t = 0;
    for (int i = 0; i < k; ++i) {
        if (present < k && received[present] == i)
            ++present;
        else
            missing[t++] = i;
    }
    if (t == 0) return 0;
    const int *parity = received + present; /* t of them */
    for (int p = 0; p < t; ++p)
        for (int m = 0; m < t; ++m) square[p * t + m] = code->matrix[parity[p] * k + missing[m]];
    if (gf_invert_matrix(square, inverse, t)) {
        fprintf(stderr, "A matrix cannot be inverted.\n");
        exit(1);
    }
    for (int i = 0; i < k; ++i) sources[i] = units[received[i]];
    for (int m = 0; m < t; ++m) {
        for (int i = 0; i < present; ++i) {
            uint8_t sum = 0;
            for (int p = 0; p < t; ++p) sum ^= gf_mul(inverse[m * t + p], code->matrix[parity[p] * k + received[i]]);
            rows[m * k + i] = sum;
        }
        memcpy(rows + m * k + present, inverse + m * t, (size_t)t);
    }
    ec_init_tables(k, t, rows, tables);
    ec_encode_data(code->unit, k, t, tables, sources, recovered);
    return t;
}

int main(int words, char **word) {
    static struct code code;
    if (words == 2 && !strcmp(word[1], "--version")) {
        printf("%d.%d.%d\n", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
        return 0;
    }
    if (words != 5 || (code.k = atoi(word[1])) < 1 || (code.n = atoi(word[2])) <= code.k || code.n > 255 ||
        (code.unit = atoi(word[3])) < 1) {
        fprintf(stderr, "Call it with: K N UNIT_BYTES SECONDS.\n");
        return 2;
    }
    const double seconds = atof(word[4]);
    static uint8_t *units[FRAMES][255], *recovered[255], tables[255 * 255 * 32];
    gf_gen_cauchy1_matrix(code.matrix, code.n, code.k);
    ec_init_tables(code.k, code.n - code.k, code.matrix + code.k * code.k, tables);
    for (int i = 0; i < 255; ++i) recovered[i] = malloc((size_t)code.unit);
    for (int f = 0; f < FRAMES; ++f) {
        for (int i = 0; i < code.n; ++i) units[f][i] = malloc((size_t)code.unit);
        for (int i = 0; i < code.k; ++i)
            for (int b = 0; b < code.unit; ++b) units[f][i][b] = (uint8_t)draw(256);
        ec_encode_data(code.unit, code.k, code.n - code.k, tables, units[f], units[f] + code.k);
    }
    int received[255], missing[255];
    for (int i = 0; i < CHECKED; ++i) {
        draw_received(&code, received);
        const int count = decode(&code, units[i % FRAMES], received, recovered, missing);
        for (int m = 0; m < count; ++m)
            if (memcmp(recovered[m], units[i % FRAMES][missing[m]], (size_t)code.unit)) {
                fprintf(stderr, "A unit was decoded wrongly.\n");
                return 1;
            }
    }
    /* Patterns are drawn beforehand: drawing them is not decoding. */
    static int patterns[CHECKED][255];
    for (int i = 0; i < CHECKED; ++i) draw_received(&code, patterns[i]);
    const double begin = now();
    double end = begin;
    uint64_t frames = 0;
    for (; end - begin < seconds; end = now())
        for (int i = 0; i < CHECKED; ++i, ++frames) decode(&code, units[i % FRAMES], patterns[i], recovered, missing);
    printf("%.0f\n", (double)frames * code.k * code.unit / (end - begin));
    return 0;
}
