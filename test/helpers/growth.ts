/** The ratio of the larger input's size to the smaller one's. */
const FACTOR = 4;

const LEAST_ATTEMPTS = 4;
const MOST_ATTEMPTS = 200;

/** Below this, growth is closer to linear than to quadratic. */
const LINEAR = 2;

/**
 * Measures how a function's time grows with its input: about 1 for linear growth, {@link FACTOR} for quadratic growth.
 * Both sizes are measured alternately in the same run, and the least time of each counts, because other work on the
 * machine can only increase a time. On a busy machine it takes more attempts until one is undisturbed.
 *
 * @param input creates an input of a size
 * @param run processes such an input
 * @param size of the smaller input; its run should take a few milliseconds
 * @param enough below this growth, no more attempts are needed: less than the test allows
 */
export function growth<T>(
  input: (size: number) => T,
  run: (input: T) => unknown,
  size: number,
  enough = LINEAR,
): number {
  const [small, large] = [input(size), input(size * FACTOR)];
  const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  const ratio = () => least.large / least.small / FACTOR;
  run(small);
  for (let attempt = 0; attempt < MOST_ATTEMPTS && (attempt < LEAST_ATTEMPTS || ratio() >= enough); attempt++) {
    least.small = Math.min(least.small, timeOf(run, small));
    least.large = Math.min(least.large, timeOf(run, large));
  }
  return ratio();
}

function timeOf<T>(run: (input: T) => unknown, input: T): number {
  const startedAt = performance.now();
  run(input);
  return performance.now() - startedAt;
}
