import * as z from "zod";
import { idleTime } from "../../../shared/threads/thread.ts";
import { createdThread, plainError, plainFault, threadInfo } from "../bodies.ts";
import { Deviation, needed } from "../deviation.ts";
import type { Rule } from "../rule.ts";
import { NOBODYS_ID, NOBODYS_NUMBER, NOTATIONS } from "../synthetic-patient.ts";
import type { Target } from "../target.ts";

type CreateThread = { patientId?: string; phone?: string; metadata?: Record<string, unknown> };

/** Opens a thread, and looks whether it is as its opening said. */
async function open(target: Target, request: CreateThread, patientId: string | null) {
  const opened = await target.call((client, options) => client.createThread(request, options));
  target.hold(opened, 201, createdThread);
  const { threadId, messageCount, expiresAt } = opened.body as {
    threadId: string;
    messageCount: number;
    expiresAt: string;
  };
  const seen = await target.call((client, options) => client.getThread(threadId, options));
  target.hold(seen, 200, threadInfo({ threadId, patientId, messageCount }));
  if ((seen.body as { thread: { expiresAt: string } }).thread.expiresAt !== expiresAt) {
    throw new Deviation(["thread.expiresAt: expected what POST /threads said"]);
  }
  return { threadId, expiresAt };
}

const REFUSALS: [what: string, body: unknown, answer: z.ZodType][] = [
  ["a phone that is no text", { phone: 5550143 }, plainFault("phone")],
  ["metadata that is no object", { metadata: [] }, plainFault("metadata")],
  ["metadata of more than 16 KB", { metadata: { filling: "x".repeat(17 * 1024) } }, plainFault("metadata")],
  ["a body that is no JSON", "{", plainFault("", z.literal("Request body is not valid JSON"))],
];

/** The rules of opening a thread and looking at it; its life is played with the chats on it. */
export const threads: Rule[] = [
  {
    name: `POST /threads with an empty object: 201, without a patient, for ${idleTime()}`,
    play: async (target) => {
      await open(target, {}, null);
    },
  },
  {
    name: "POST /threads without a body: 201",
    play: async (target) => target.hold(await target.raw("POST", "/threads"), 201, createdThread),
  },
  {
    name: "POST /threads with a patientId and metadata: 201, linked; GET does not show the metadata",
    setup: true,
    play: async (target) => {
      const patientId = needed(target.found.patientId);
      const metadata = { source: "live check" };
      Object.assign(target.found, await open(target, { patientId, metadata }, patientId));
    },
  },
  ...Object.entries(NOTATIONS).map(
    ([notation, phone]): Rule => ({
      name: `POST /threads with the patient's phone (${notation}): 201, linked`,
      play: async (target) => {
        await open(target, { phone }, needed(target.found.patientId));
      },
    }),
  ),
  {
    name: "POST /threads with a phone that nobody has: 201, without a patient",
    play: async (target) => {
      await open(target, { phone: NOBODYS_NUMBER }, null);
    },
  },
  {
    name: "POST /threads with an unknown patientId: 404",
    play: async (target) => {
      const reply = await target.call((client, options) => client.createThread({ patientId: NOBODYS_ID }, options));
      target.hold(reply, 404, plainError("Patient not found with the provided ID"));
    },
  },
  ...REFUSALS.map(
    ([what, body, answer]): Rule => ({
      name: `POST /threads with ${what}: 400`,
      play: async (target) => target.hold(await target.raw("POST", "/threads", { body }), 400, answer),
    }),
  ),
  ...["00000", "no-id"].flatMap((id): Rule[] => {
    const what = id === "00000" ? "an id that no thread has" : "what is no id";
    return [
      {
        name: `GET /threads/{id} with ${what}: 404`,
        play: async (target) => {
          const reply = await target.call((client, options) => client.getThread(id, options));
          target.hold(reply, 404, plainError("Thread not found or expired"));
        },
      },
      {
        name: `DELETE /threads/{id} with ${what}: 404`,
        play: async (target) => {
          const reply = await target.call((client, options) => client.deleteThread(id, options));
          target.hold(reply, 404, plainError("Thread not found"));
        },
      },
    ];
  }),
];
