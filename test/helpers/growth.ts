/** The number of times by which the larger input is longer. */
const FACTOR = 4;

/**
 * How the time that a function takes grows with its input: about 1 for linear growth, {@link FACTOR} for quadratic
 * growth. Both sizes are measured in turns in the same run, and the smallest of several results is returned: other work
 * on the machine can only make a result larger.
 *
 * @param input makes an input of a size
 * @param run takes such an input
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
