/**
 * Runs something at the times of a schedule, as EventBridge does.
 *
 * @param intervalSeconds runs are at multiples of it, like those of `cron(0/10 * * * ? *)`
 * @returns a function that ends the schedule
 */
export function runAligned(intervalSeconds: number, run: () => void): () => void {
  const interval = intervalSeconds * 1000;
  let timer: NodeJS.Timeout;
  const arm = () => {
    // A little late, never early: what falls due at that time is due.
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
 * The interval of a schedule expression.
 *
 * @throws Error for one that does not run at multiples of some minutes
 */
export function intervalSecondsOf(expression: string): number {
  const minutes = /^cron\(0\/(\d+) \* \* \* \? \*\)$/.exec(expression)?.[1];
  // EventBridge begins anew each hour, so only a divisor of 60 makes even steps.
  if (!minutes || 60 % Number(minutes) !== 0) {
    throw new Error(`The local service knows no schedule like ${expression}.`);
  }
  return Number(minutes) * 60;
}
