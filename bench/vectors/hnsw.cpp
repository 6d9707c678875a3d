// hnswlib as it is (the sources that hnswlib-node brings, its default graph), without the cost of a binding to Node.
//   hnsw DATA ROWS DIMENSIONS    DATA: the rows and behind them the queries, 32-bit floats of length one
// Speaks as program.mjs says. The effort is hnswlib's `ef`.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

#include "hnswlib.h"

static const size_t MOST = 10;

static double now_ms(clockid_t clock) {
  timespec at;
  clock_gettime(clock, &at);
  return at.tv_sec * 1e3 + at.tv_nsec / 1e6;
}

static std::vector<float> read_floats(const char *file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  std::vector<float> floats(static_cast<size_t>(in.tellg()) / sizeof(float));
  in.seekg(0);
  in.read(reinterpret_cast<char *>(floats.data()), floats.size() * sizeof(float));
  return floats;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: hnsw DATA ROWS DIMENSIONS\n");
    return 2;
  }
  const std::vector<float> data = read_floats(argv[1]);
  const size_t rows = atol(argv[2]), dimensions = atol(argv[3]);
  hnswlib::InnerProductSpace space(dimensions);
  double started = now_ms(CLOCK_PROCESS_CPUTIME_ID);
  hnswlib::HierarchicalNSW<float> index(&space, rows);
  for (size_t row = 0; row < rows; row++) index.addPoint(&data[row * dimensions], row);
  printf("{\"buildMs\":%.0f}\n", now_ms(CLOCK_PROCESS_CPUTIME_ID) - started);
  fflush(stdout);

  size_t ef, first, queries;
  while (scanf("%zu %zu %zu", &ef, &first, &queries) == 3) {
    index.setEf(ef);
    for (size_t query = first; query < first + queries; query++) {
      double cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID), wall = now_ms(CLOCK_MONOTONIC);
      auto found = index.searchKnnCloserFirst(&data[(rows + query) * dimensions], MOST);
      cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall = now_ms(CLOCK_MONOTONIC) - wall;
      printf("%.4f %.4f", cpu, wall);
      for (auto &hit : found) printf(" %zu", hit.second);
      printf("\n");
    }
    fflush(stdout);
  }
  return 0;
}
