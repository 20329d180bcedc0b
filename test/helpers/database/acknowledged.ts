/** From before the call until after its response; without an end if it got none, and may have had its effect. */
export interface Interval {
  start: number;
  end: number;
}

/** A message that was sent. */
export interface Said {
  text: string;
  /** The count in the response; undefined if there was none. */
  count?: number;
  /** Who answered or wrote; undefined for a chat without a response. */
  by?: "model" | "service" | "person";
  /** The patient that a chat named. */
  patientId?: string | undefined;
  /** Whether the chat was rejected because the thread is bound to another patient. */
  otherPatient?: boolean;
  /** Whether its user has stopped it; undefined if that is not known. */
  stopped: boolean | undefined;
  /** When the model was asked. */
  askedAt: number;
}

/** A thread, and what clients know of it. */
export interface Place {
  threadId: string;
  holds: Interval[];
  returns: Interval[];
  said: Said[];
  /** The calls in progress. */
  running: Set<Promise<unknown>>;
  /** Whether a deletion or an expiry has begun. */
  ends: boolean;
}

type Item = Record<string, unknown>;

/**
 * Compares what is stored of a thread with what its clients were told: each acknowledged message is stored once, in its
 * place, any other once at most.
 *
 * @param items the thread's items
 * @returns what is wrong, in sentences
 */
export function problemsOf({ said, ...place }: Place, items: Item[]): string[] {
  const turns = items.filter(({ sk }) => String(sk).startsWith("turn#"));
  return [
    ...countProblems(turns, items.at(-1)?.messageCount),
    ...said.flatMap((one) => messageProblems(one, turns)),
    ...patientProblems(said, turns),
    ...said.filter(({ by }) => by === "model").flatMap((one) => holdProblems(one, turns, place)),
  ];
}

const textOf = ({ question, content }: Item) => String(question ?? content);

function countProblems(turns: Item[], total: unknown): string[] {
  let count = 0;
  const problems: string[] = [];
  for (const { author, messageCount } of turns) {
    count += author === undefined ? 2 : 1;
    if (messageCount !== count) {
      problems.push(`a turn is counted as ${messageCount} instead of ${count}`);
    }
  }
  return total === count ? problems : [...problems, `a thread of ${count} messages counts ${total}`];
}

function messageProblems({ text, count, by, stopped }: Said, turns: Item[]): string[] {
  const stored = turns.filter((turn) => textOf(turn) === text);
  if (by === undefined) {
    return stored.length > 1 ? [`${text}, which got no response, is stored ${stored.length} times`] : [];
  }
  const [turn = {}] = stored;
  const storedBy = turn.author !== undefined ? "person" : turn.held ? "service" : "model";
  const problems: string[] = [];
  if (stored.length !== 1 || turn.messageCount !== count || storedBy !== by) {
    problems.push(`${text} by the ${by}, counted ${count}, is stored ${stored.length} times, by the ${storedBy}`);
  }
  const isCut = JSON.stringify(turn).includes('"cut"');
  if (by === "model" && stopped !== undefined && isCut !== stopped) {
    problems.push(`${text} is stored ${isCut ? "cut" : "whole"}, although it was ${stopped ? "" : "not "}stopped`);
  }
  return problems;
}

function patientProblems(said: Said[], turns: Item[]): string[] {
  const texts = new Set(turns.map(textOf));
  const about = new Set(said.filter(({ text }) => texts.has(text)).map(({ patientId }) => patientId));
  about.delete(undefined);
  const unfounded = said.some(
    ({ otherPatient, patientId }) => otherPatient && (about.size === 0 || about.has(patientId)),
  );
  return [
    ...(about.size > 1 ? ["a thread has turns about two patients"] : []),
    ...(unfounded ? ["a chat was rejected on a thread that is not bound to another patient"] : []),
  ];
}

/** No answer of the model is stored while a person holds the thread, or after one has since the model was asked. */
function holdProblems({ text, askedAt }: Said, turns: Item[], { holds, returns }: Pick<Place, "holds" | "returns">) {
  const toMonotonic = performance.now() - Date.now();
  const at = turns.find((turn) => textOf(turn) === text)?.at;
  const committed = Date.parse(String(at)) + toMonotonic - 2; // no earlier than this; the clocks differ by a millisecond
  const ignored = holds
    .filter(({ end }) => end < committed)
    .some(({ start }) => start > askedAt || !returns.some((one) => one.start < committed && one.end > start));
  return ignored ? [`${text} was answered by the model although a person had taken over`] : [];
}
