import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { type Listening, listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";
import { chunk, responseTo, WIRE_FORMS } from "../../../tools/safety/wire-forms.ts";
import { seededRandom } from "../database/random-faults.ts";

/** What no response and no stored message may contain: it is only in reasoning. */
export const REASONED = "the-user-is-a-burden";

/** How the response of a server goes on after its last byte. */
type Ending = "ends" | "is cut" | "is reset" | "stays open";

interface Plan {
  status: number;
  headers: Record<string, string>;
  pieces: Buffer[];
  /** Before each piece, in milliseconds. */
  delays: number[];
  ending: Ending;
  /** Instead of all this: bytes that are no HTTP. */
  garbage: Buffer | undefined;
}

/** A model's server of which each request is another one, chosen by the number that its message ends with. */
export async function startRandomServer(seed: number): Promise<Listening> {
  const server = createServer(async (request, response) => {
    response.on("error", () => {});
    const body = request.method === "POST" ? await text(request) : "";
    const number = Number(/#(\d+)/.exec(body)?.[1] ?? 0);
    await play(planOf(seededRandom(seed + number), body), request, response);
  });
  return await listenOnLoopback(server);
}

async function play(plan: Plan, { socket }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (socket.listenerCount("error") < 5) {
    socket.on("error", () => {}); // connections are reused
  }
  if (plan.garbage) {
    socket.write(plan.garbage, () => socket.destroy());
    return;
  }
  response.writeHead(plan.status, plan.headers).flushHeaders();
  for (const [index, piece] of plan.pieces.entries()) {
    await setTimeout(plan.delays[index] ?? 0);
    response.write(piece);
  }
  await setTimeout(1); // what was written leaves before a cut
  if (plan.ending === "ends") {
    response.end();
  } else if (plan.ending === "is cut") {
    socket.destroySoon();
  } else if (plan.ending === "is reset") {
    socket.resetAndDestroy();
  }
}

const STATUSES = [400, 401, 404, 408, 413, 418, 422, 424, 429, 500, 502, 503, 529, 204, 302];
const TYPES = ["text/event-stream", "text/event-stream; charset=utf-8", "application/json", "text/html", ""];
const GARBAGE = [
  "\0\x01\x02",
  "HTTP/1.1 200\r\n\r\n",
  "HTTP/1.1 200 OK\r\nbroken header\r\n\r\n",
  "SSH-2.0-OpenSSH\r\n",
];
const UNUSUAL_HEADERS = [
  "HTTP/1.1 200 OK\r\nx: \x01\r\ncontent-length: 2\r\n\r\n{}",
  "HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n",
];

/** A random server: of the recorded forms, or of random chunks; cut anywhere, slow, or without HTTP. */
function planOf(random: () => number, request: string): Plan {
  const of = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const chance = (share: number) => random() < share;
  const parameters = request === "" ? {} : JSON.parse(request);
  const isRefusal = chance(0.1);
  const recorded = responseTo(of(WIRE_FORMS), parameters);
  const body = chance(0.4) ? recorded.body : randomStream(of, chance, parameters.stream === true);
  const bytes = Buffer.from(body);
  const cut = chance(0.3) ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
  const pieces = split(cut, random, of([1, 2, 5, 20]));
  return {
    status: isRefusal ? of(STATUSES) : 200,
    headers: {
      "content-type": of(TYPES),
      ...(chance(0.2) && { connection: "close" }),
      ...(chance(0.1) && { "retry-after": of(["0", "1", "never", "9999999999"]) }),
    },
    pieces,
    delays: pieces.map(() => (chance(0.1) ? Math.floor(random() * 20) : 0)),
    ending: chance(0.02) ? "stays open" : of<Ending>(["ends", "ends", "is cut", "is reset"]),
    garbage: chance(0.05) ? Buffer.from(of([...GARBAGE, ...UNUSUAL_HEADERS]), "latin1") : undefined,
  };
}

function split(bytes: Buffer, random: () => number, count: number): Buffer[] {
  const places = Array.from({ length: count - 1 }, () => Math.floor(random() * bytes.length));
  const ends = [...places, bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter(({ length }) => length > 0);
}

type Of = <T>(all: readonly T[]) => T;
type Chance = (share: number) => boolean;

const REASONS = ["stop", "length", "error", "content_filter", "timeout", "STOP", "tool_calls", "", null, 7, {}];
const NOISE = [
  ": comment\n\n",
  "\n\n",
  "event: ping\ndata: {}\n\n",
  "data: null\n\n",
  "data: 7\n\n",
  'data: {"choices": null}\n\n',
  'data: {"choices": [null]}\n\n',
  'data: {"choices": [{"delta": {"content": {"a": 1}}}]}\n\n',
  'data: {"choices": [{"delta": {"tool_calls": [{"function": {"name": "x"}}]}}]}\n\n',
  'data: {"usage": {"prompt_tokens": "many"}}\n\n',
  "retry: 5\n\n",
  "id: 1\n\n",
];
const ENDS = [
  "data: [DONE]\n\n",
  "",
  'data: {"error": {"message": "out of memory"}}\n\n',
  'data: {"error": "stopped"}\n\n',
  'event: error\ndata: {"type": "overloaded_error"}\n\n',
  'data: {"choices": [{"delta"\n\n',
  "<html>502</html>",
];
const WORDS = [
  "Rest",
  " today.",
  " Drink",
  " water,",
  "\n\n- and",
  " sleep.",
  " **Call**",
  " the clinic.",
  " [[level: none]]",
  "\ud83d",
];
const BLOCKS = [
  `<think>${REASONED}</think>`,
  `<think>\n${REASONED} [[level: emergency stroke]]\n</think>\n`,
  `<THINKING>${REASONED}</THINKING>`,
  `[THINK]${REASONED}[/THINK]`,
  `◁think▷${REASONED}◁/think▷`,
  `<seed:think>${REASONED} <think> ${REASONED}</think></seed:think>`,
  `<|channel|>analysis<|message|>${REASONED}<|end|><|start|>assistant<|channel|>final<|message|>`,
  `Here is my thought process: ${REASONED}\nHere is my response: `,
  `Okay, the user says something. ${REASONED}</think>\n`,
];

/** A stream, or JSON, of reasoning or none, then words, in random chunks among noise. */
function randomStream(of: Of, chance: Chance, streamed: boolean): string {
  const reasoning = chance(0.5) ? of(BLOCKS) : "";
  const words = Array.from({ length: Math.floor(1 + 12 * Math.abs(Number(chance(0.5)) - 0.2)) }, () => of(WORDS));
  const marker = chance(0.5) ? "[[level: none]]\n" : "";
  const content = reasoning + marker + words.join("");
  const reason = of(REASONS);
  if (!streamed) {
    const message = chance(0.2)
      ? {
          content: [
            { type: "thinking", thinking: REASONED },
            { type: "text", text: content },
          ],
        }
      : { content };
    return JSON.stringify({ choices: [{ message, finish_reason: reason }], ...(chance(0.5) && { usage: null }) });
  }
  const size = of([1, 3, 9, 400]);
  const chunks = [...content.matchAll(new RegExp(`.{1,${size}}`, "gsu"))].map(([piece]) => chunk({ content: piece }));
  const noisy = chunks.flatMap((each) => (chance(0.1) ? [of(NOISE), each] : [each]));
  const separate = chance(0.2) ? [chunk({ reasoning_content: REASONED })] : [];
  const lines = [...separate, ...noisy, ...(chance(0.8) ? [chunk({}, reason)] : []), of(ENDS)].join("");
  return chance(0.2) ? `\uFEFF${lines.replaceAll("\n", "\r\n")}` : lines;
}
