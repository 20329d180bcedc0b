/** The limits of the model that can end an answer (`shared/model/answer.ts`), with what they say and how to raise them. */
const LIMITS = new Map([
  [
    "first-word",
    "it had not begun to answer, and MODEL_FIRST_TOKEN_MILLISECONDS is {ms}; if this model needs longer, set it, and MODEL_TOTAL_MILLISECONDS, to more",
  ],
  [
    "total",
    "it had not finished, and MODEL_TOTAL_MILLISECONDS is {ms}; if this model needs longer, set it to more, such as 120000",
  ],
  ["fixed", "it had {ms} milliseconds, which is fixed for this step"],
]);

/**
 * Returns the short form, for the terminal, of a line that a function logged: a warning or an error, or what is no log
 * line at all.
 *
 * @returns undefined for all others
 */
export function problemIn(line: string): string | undefined {
  const parsed = parse(line);
  if (!parsed) {
    return line;
  }
  const { level, message } = parsed;
  if (level !== "ERROR" && level !== "WARN") {
    return undefined;
  }
  const { event = "failure", reason, errorName, code, status, limit, limitMs } = message ?? {};
  const why = reason ?? [errorName, code, status].filter(Boolean).join(" ");
  const ended = LIMITS.get(limit)?.replace("{ms}", limitMs);
  return `${level.toLowerCase()}: ${event} ${why}${ended ? `: ${ended}` : ""}`;
}

function parse(line: string) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
