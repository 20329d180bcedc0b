/**
 * Runs a function on a schedule, as EventBridge does.
 *
 * @param intervalSeconds runs are at multiples of this, like those of `cron(0/10 * * * ? *)`
 * @returns a function that stops the schedule
 */
export function runAligned(intervalSeconds: number, run: () => void): () => void {
  const interval = intervalSeconds * 1000;
  let timer: NodeJS.Timeout;
  const arm = () => {
    // Slightly late, never early, so that everything due at that time is due.
    const wait = interval - (Date.now() % interval) + 20;
    timer = setTimeout(() => {
      run();
      arm();
    }, wait);
  };
  arm();
  return () => clearTimeout(timer);
}

/**
 * Returns the interval of a schedule expression.
 *
 * @throws Error if it does not run at multiples of a number of minutes
 */
export function intervalSecondsOf(expression: string): number {
  const minutes = /^cron\(0\/(\d+) \* \* \* \? \*\)$/.exec(expression)?.[1];
  // EventBridge restarts each hour, so only divisors of 60 give equal intervals.
  if (!minutes || 60 % Number(minutes) !== 0) {
    throw new Error(`The local service does not support the schedule ${expression}.`);
  }
  return Number(minutes) * 60;
}
