import { lastExtended, type Message, type Thread, type ThreadRequest } from "./thread.ts";
import { answerTo } from "./world.ts";

/** How many turns a chat is given of the thread. */
const CONTEXT_TURNS = 10;

/**
 * Finds what cannot have happened on a thread. Requests that overlapped may have happened in either order; everything
 * else must look as if they had happened one after the other.
 *
 * @param idle milliseconds that a thread lives without a message
 */
export function problemsOf(thread: Thread, idle: number): string[] {
  if (thread.reused) {
    return [];
  }
  return [
    ...thread.history.flatMap((request) => [
      ...presenceProblems(thread, request, idle),
      ...(request.found ? contentProblems(thread, request) : []),
    ]),
    ...orderProblems(thread),
  ];
}

/** The chats that stored a turn or may have. */
const chatsOf = ({ history }: Thread) => history.filter(({ question }) => question !== undefined);
const openingCount = ({ opening }: Thread) => (opening === undefined ? 0 : 2);

/**
 * A thread is found until it is deleted or has been idle for too long, and never again, unless a chat that began in time
 * was still to be stored.
 */
function presenceProblems(thread: Thread, request: ThreadRequest, idle: number): string[] {
  const others = thread.history.filter((other) => other !== request);
  if (request.found) {
    const extended = others.filter(({ question, start }) => question !== undefined && start < request.end);
    const last = Math.max(thread.created.end, ...extended.map(({ end }) => end));
    const gone = others.some((other) => isEnd(thread, other) && other.end <= request.start);
    return gone || request.start >= last + idle ? [`a ${request.name} found a thread that was gone`] : [];
  }
  const deleted = others.some(({ deletes, start }) => deletes && start < request.end);
  const missed = request.found === false && !deleted && request.end < lastExtended(thread, request.start) + idle;
  return missed ? [`a ${request.name} did not find a thread that was there`] : [];
}

/** Whether a request ended a thread, or showed that it had ended. */
function isEnd(thread: Thread, { found, deletes, name, start, end }: ThreadRequest): boolean {
  const isFinal = deletes === true || name === "deletion"; // also if it found nothing
  const pending = chatsOf(thread).some((chat) => chat.found && chat.start <= end && chat.end >= start);
  return (found === false && !pending) || (isFinal && found !== undefined);
}

/** A request is shown whole turns of this thread, in their order, and every one that was stored before. */
function contentProblems(thread: Thread, request: ThreadRequest): string[] {
  const others = chatsOf(thread).filter((other) => other !== request);
  const before = others.filter(({ end }) => end <= request.start);
  const least = Math.max(openingCount(thread), ...before.map(({ count = 0 }) => count));
  const most = openingCount(thread) + 2 * others.filter(({ start }) => start < request.end).length;
  const problems: string[] = [];
  const expectCount = (count: number) => {
    if (count < least || count > most) {
      problems.push(`a ${request.name} saw ${count} messages instead of ${least} to ${most}`);
    }
  };
  if (request.question === undefined && request.count !== undefined) {
    expectCount(request.count);
  }
  if (request.messages) {
    const { whole, turns, upTo } = shown(thread, request.messages, others);
    const limit = request.name === "chat" ? CONTEXT_TURNS : Number.POSITIVE_INFINITY;
    if (!whole || (upTo !== undefined && turns !== Math.min(limit, upTo / 2))) {
      problems.push(`a ${request.name} saw other messages than the thread's last`);
    } else if (upTo !== undefined) {
      expectCount(upTo);
    }
  }
  if (request.lastActivity !== undefined) {
    const last = others.find(({ count }) => count === request.count);
    const { start, end } =
      last ?? (request.count === openingCount(thread) ? thread.created : { start: 0, end: Infinity });
    if (request.lastActivity < start || request.lastActivity > end) {
      problems.push(`a ${request.name} saw another time of the last activity`);
    }
  }
  return problems;
}

/**
 * Compares messages with the turns of a thread.
 *
 * @returns whether they are whole turns of it without a gap, their number, and how many messages the thread had with
 *   the last of them; undefined if no turn's place is known
 */
function shown(thread: Thread, messages: Message[], chats: ThreadRequest[]) {
  const questions = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const opening = messages[0]?.role === "assistant" ? [{ role: "assistant", content: thread.opening }] : [];
  const expected = questions.flatMap((content) => [
    { role: "user", content },
    { role: "assistant", content: answerTo(content) },
  ]);
  const known = new Map(chats.map(({ question, count }) => [question, count]));
  const places = questions.flatMap((question, index) => {
    const count = known.get(question);
    return count === undefined ? [] : [count - 2 * index];
  });
  const [place = questions.length === 0 ? opening.length * 2 + 2 : undefined] = places;
  return {
    whole:
      JSON.stringify(messages) === JSON.stringify([...opening, ...expected]) &&
      questions.every((question) => known.has(question)) &&
      new Set(places).size <= 1,
    turns: opening.length + questions.length,
    upTo: place === undefined ? undefined : place + 2 * (questions.length - 1),
  };
}

/** Every turn has a place of its own, in the order in which they were stored, and one deletion at most succeeds. */
function orderProblems(thread: Thread): string[] {
  const chats = chatsOf(thread);
  const stored = chats.filter(({ count }) => count !== undefined);
  const counts = stored.map(({ count = 0 }) => count).sort((a, b) => a - b);
  const first = openingCount(thread);
  const problems: string[] = [];
  if (new Set(counts).size < counts.length || counts.some((count) => count % 2 !== 0 || count < first + 2)) {
    problems.push(`the turns were counted ${counts}`);
  }
  if (((counts.at(-1) ?? first) - first) / 2 > chats.length) {
    problems.push(`${chats.length} turns were counted up to ${counts.at(-1)}`);
  }
  for (const { count = 0, start } of stored) {
    if (stored.some((other) => other.end <= start && (other.count ?? 0) >= count)) {
      problems.push(`the turn counted ${count} came after one counted higher`);
    }
  }
  if (thread.history.filter(({ deletes, found }) => deletes && found).length > 1) {
    problems.push("two deletions of one thread succeeded");
  }
  return problems;
}
