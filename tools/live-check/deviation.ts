/** Error thrown when a response deviates from the contract. */
export class Deviation extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join("; "));
    this.faults = faults;
  }
}

/** Error thrown when a rule needs a value that no earlier rule produced. */
export class NotPlayed extends Error {}

/** @throws NotPlayed if no earlier rule produced the value */
export function needed<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new NotPlayed("an earlier rule did not produce what this one needs");
  }
  return value;
}
