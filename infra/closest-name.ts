/**
 * The known name that takes the fewest changes of letters to get to; upper and lower case count as the same. A name that
 * begins like the wrong one is closer than any other.
 */
export function closestName(name: string, known: string[]): string | undefined {
  const longer = known.find((candidate) => candidate.toLowerCase().startsWith(name.toLowerCase()));
  if (longer !== undefined) {
    return longer;
  }
  const distances = known.map((candidate): [number, string] => [distance(name, candidate), candidate]);
  return distances.sort(([a], [b]) => a - b)[0]?.[1];
}

/** Levenshtein's distance: letters inserted, removed or replaced. */
function distance(from: string, to: string): number {
  const [a, b] = [from.toLowerCase(), to.toLowerCase()];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
