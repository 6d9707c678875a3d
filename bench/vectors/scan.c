// The floor: the ten nearest of all rows by plain loops, as `cc -O3 -march=native -ffast-math` makes them. No index, no
// quantisation. Four rows at a time, so that neither the chain of additions nor loading the query is what it waits for.
//   scan DATA ROWS DIMENSIONS    DATA: the rows and behind them the queries, 32-bit floats
// Speaks as program.mjs says. It knows no effort.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST 10
#define AT_ONCE 4

typedef struct {
  float score;
  int row;
} Hit;

static double now_ms(clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  return at.tv_sec * 1e3 + at.tv_nsec / 1e6;
}

static void offer(Hit *best, float score, int row) {
  if (score <= best[MOST - 1].score) return;
  int place = MOST - 1;
  for (; place > 0 && best[place - 1].score < score; place--) best[place] = best[place - 1];
  best[place] = (Hit){score, row};
}

static void scan(const float *data, int rows, int dimensions, const float *query, Hit *best) {
  for (int i = 0; i < MOST; i++) best[i] = (Hit){-2, -1};
  int row = 0;
  for (; row + AT_ONCE <= rows; row += AT_ONCE) {
    const float *a = data + (size_t)row * dimensions;
    const float *b = a + dimensions, *c = b + dimensions, *d = c + dimensions;
    float score_a = 0, score_b = 0, score_c = 0, score_d = 0;
    for (int i = 0; i < dimensions; i++) {
      score_a += a[i] * query[i];
      score_b += b[i] * query[i];
      score_c += c[i] * query[i];
      score_d += d[i] * query[i];
    }
    offer(best, score_a, row);
    offer(best, score_b, row + 1);
    offer(best, score_c, row + 2);
    offer(best, score_d, row + 3);
  }
  for (; row < rows; row++) {
    float score = 0;
    for (int i = 0; i < dimensions; i++) score += data[(size_t)row * dimensions + i] * query[i];
    offer(best, score, row);
  }
}

static float *read_floats(const char *file, size_t *count) {
  FILE *in = fopen(file, "rb");
  if (!in || fseek(in, 0, SEEK_END) != 0) return NULL;
  size_t bytes = ftell(in);
  float *floats = aligned_alloc(64, (bytes + 63) / 64 * 64);
  rewind(in);
  *count = floats ? fread(floats, sizeof(float), bytes / sizeof(float), in) : 0;
  fclose(in);
  return floats;
}

int main(int argc, char **argv) {
  size_t count = 0;
  float *data = argc == 4 ? read_floats(argv[1], &count) : NULL;
  if (!data) {
    fprintf(stderr, "usage: scan DATA ROWS DIMENSIONS\n");
    return 2;
  }
  int rows = atoi(argv[2]), dimensions = atoi(argv[3]);
  printf("{\"buildMs\":0}\n");
  fflush(stdout);
  int first, queries;
  while (scanf("%*d %d %d", &first, &queries) == 2) {
    for (int query = first; query < first + queries; query++) {
      Hit best[MOST];
      double cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID), wall = now_ms(CLOCK_MONOTONIC);
      scan(data, rows, dimensions, data + (size_t)(rows + query) * dimensions, best);
      cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall = now_ms(CLOCK_MONOTONIC) - wall;
      printf("%.4f %.4f", cpu, wall);
      for (int i = 0; i < MOST; i++) printf(" %d", best[i].row);
      printf("\n");
    }
    fflush(stdout);
  }
  return 0;
}
