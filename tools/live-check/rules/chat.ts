import type * as z from "zod";
import { chatAnswer, fault, genericError, genericFault } from "../bodies.ts";
import { patientId } from "../fixtures.ts";
import { exchange, type Rule } from "../rule.ts";
import { NOBODYS_ID, NOBODYS_NUMBER } from "../synthetic-patient.ts";

const REQUIRED = genericFault("message is required", "message");
const NO_THREAD = genericError("Thread not found or expired");
const message = "Live check: please answer with one short sentence.";

const INVALID_REQUESTS: [what: string, body: unknown, answer: z.ZodType, headers?: Record<string, string>][] = [
  ["no message", { threadId: "00000" }, REQUIRED],
  ["an empty message", { message: "" }, REQUIRED],
  ["a message of whitespace", { message: " \n" }, REQUIRED],
  ["a message that is not a string", { message: 5 }, REQUIRED],
  ["no body", undefined, REQUIRED],
  ["a body that is not JSON", "{", genericFault("Request body is not valid JSON", "")],
  ["a message of 16,001 characters", { message: "x".repeat(16_001) }, fault("message")],
  [
    "an unknown role",
    { message, conversationHistory: [{ role: "system", content: "x" }] },
    fault("conversationHistory.0.role"),
  ],
  ["patientData that is not an object", { message, patientData: [] }, fault("patientData")],
  [
    "an unknown field and Prefer: handling=strict",
    { message, thread: "00000" },
    fault("thread"),
    { prefer: "handling=strict" },
  ],
];

/** The rules for chats without a thread. Two of them call the model. */
export const chat: Rule[] = [
  ...INVALID_REQUESTS.map(([what, body, answer, headers = {}]) =>
    exchange(`POST /chat with ${what}`, 400, answer, (target) => target.raw("POST", "/chat", { body, headers })),
  ),
  exchange(
    "POST /chat with a body of more than 256 KB",
    413,
    genericError("Request body must not be larger than 256 KB"),
    (target) => target.raw("POST", "/chat", { body: { message, filling: "x".repeat(256 * 1024) } }),
  ),
  exchange(
    "POST /chat with an unknown patientId",
    404,
    genericError("Patient not found with the provided ID"),
    (target) => target.call((client, options) => client.chat({ message, patientId: NOBODYS_ID }, options)),
  ),
  exchange("POST /chat with an unknown threadId", 404, NO_THREAD, (target) =>
    target.call((client, options) => client.chat({ message, threadId: "00000" }, options)),
  ),
  {
    name: "POST /chat for a streamed answer with an unknown threadId: 404 as JSON",
    play: async (target) => target.hold((await target.stream({ message, threadId: "00000" })).reply, 404, NO_THREAD),
  },
  {
    name: "POST /chat with an unknown phone, history and patientData: 200 without threadId and messageCount",
    play: async (target) => {
      const medications = [{ name: "none", dosage: "0 mg", condition: "none" }];
      const request = {
        message,
        phone: NOBODYS_NUMBER,
        patientData: { age: 40, allergies: ["none"], medications },
        conversationHistory: [
          { role: "user" as const, content: "Live check." },
          { role: "assistant" as const, content: "Go on." },
        ],
      };
      target.hold(await target.call((client, options) => client.chat(request, options)), 200, chatAnswer);
    },
  },
  exchange("POST /chat with a patientId", 200, chatAnswer, async (target) => {
    const request = { message, patientId: await patientId(target) };
    return target.call((client, options) => client.chat(request, options));
  }),
];
