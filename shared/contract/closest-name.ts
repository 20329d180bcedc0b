import leven from "leven";

/**
 * Returns the known name that a wrong one probably stands for. Case and punctuation are ignored. A name that contains
 * the other one is closer than any that differs in its letters: `phone` means `phone_number`.
 *
 * @param most the number of letters that may differ
 * @returns undefined if no known name is that close
 */
export function closestName(
  name: string,
  known: readonly string[],
  most = Number.POSITIVE_INFINITY,
): string | undefined {
  const wrong = lettersOf(name);
  const contains = (long: string, short: string) => short.length >= 3 && long.includes(short);
  const related =
    known.find((candidate) => lettersOf(candidate) === wrong) ??
    known.find((candidate) => wrong !== "" && lettersOf(candidate).startsWith(wrong)) ??
    known.find((candidate) => contains(lettersOf(candidate), wrong) || contains(wrong, lettersOf(candidate)));
  if (related !== undefined) {
    return related;
  }
  const distances = known.map((candidate): [number, string] => [leven(wrong, lettersOf(candidate)), candidate]);
  const [best, closest] = distances.sort(([a], [b]) => a - b)[0] ?? [];
  return best !== undefined && best <= most ? closest : undefined;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
