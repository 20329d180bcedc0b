/** A response deviates from the contract. */
export class Deviation extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join("; "));
    this.faults = faults;
  }
}

/** A rule needs a value that an earlier rule did not produce. */
export class NotPlayed extends Error {}

/** @throws NotPlayed if no earlier rule produced the value */
export function needed<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new NotPlayed("an earlier rule did not produce what this one needs");
  }
  return value;
}
