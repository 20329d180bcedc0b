/** A time that is left, as one reads it on a clock: `29:05`. Nothing is left below zero. */
export function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}

/** When a person who cannot see the clock is told, in seconds before the end. */
const TOLD_AT = [300, 60, 10];

/**
 * What to say of the time that is left.
 *
 * @param before what was left at the last look, in milliseconds
 * @param now what is left now
 * @returns undefined when no time to speak lies between
 */
export function spokenTime(before: number, now: number): string | undefined {
  const passed = TOLD_AT.filter((seconds) => before > seconds * 1000 && now <= seconds * 1000).at(-1);
  if (passed === undefined) {
    return undefined;
  }
  return passed >= 60
    ? `The thread expires in ${passed / 60} minute${passed === 60 ? "" : "s"}.`
    : `The thread expires in ${passed} seconds.`;
}
