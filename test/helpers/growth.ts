/** The ratio of the larger input's size to the smaller one's. */
const FACTOR = 4;

const LEAST_ATTEMPTS = 8;
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
 */
export function growth<T>(input: (size: number) => T, run: (input: T) => unknown, size: number): number {
  const inputs = [input(size), input(size * FACTOR)] as const;
  const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const ratio = () => least[1] / least[0] / FACTOR;
  run(inputs[0]);
  for (let attempt = 0; attempt < MOST_ATTEMPTS && (attempt < LEAST_ATTEMPTS || ratio() >= LINEAR); attempt++) {
    least[0] = Math.min(
      least[0],
      timeOf(() => run(inputs[0])),
    );
    least[1] = Math.min(
      least[1],
      timeOf(() => run(inputs[1])),
    );
  }
  return ratio();
}

function timeOf(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}
