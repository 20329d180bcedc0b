/** The ratio of the larger input's size to the smaller one's. */
const FACTOR = 4;

/**
 * Measures how a function's time grows with its input: about 1 for linear growth, {@link FACTOR} for quadratic growth.
 * Both sizes are measured alternately in the same run, and the smallest of several results is returned, because other
 * work on the machine can only increase a result.
 *
 * @param input creates an input of a size
 * @param run processes such an input
 * @param size of the smaller input; its run should take a few milliseconds
 */
export function growth<T>(input: (size: number) => T, run: (input: T) => unknown, size: number): number {
  const small = input(size);
  const large = input(size * FACTOR);
  run(small);
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 8; attempt++) {
    const timeOfSmall = timeOf(() => run(small));
    least = Math.min(least, timeOf(() => run(large)) / timeOfSmall / FACTOR);
  }
  return least;
}

function timeOf(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}
