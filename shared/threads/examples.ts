import { PATIENT_ID_EXAMPLE } from "../patients/examples.ts";
import { type AnswerPart, textOf } from "./answer-parts.ts";
import { THREAD_ID_EXAMPLE } from "./thread-id.ts";

// What the examples of the OpenAPI document show.

export const THREAD_EXAMPLE = {
  threadId: THREAD_ID_EXAMPLE,
  patientId: PATIENT_ID_EXAMPLE,
  messageCount: 2,
  lastActivity: "2026-03-01T09:05:00.000Z",
  createdAt: "2026-03-01T09:00:00.000Z",
  expiresAt: "2026-03-01T09:35:00.000Z",
};

/** The messages of that thread. */
export const MESSAGES_EXAMPLE = [
  {
    id: "01KJM5V7Q0ZJ3B8W1F2N6T4XEA-1",
    role: "assistant",
    content: "Ibuprofen can make asthma worse in some people. Has it ever done so for you?",
    createdAt: "2026-03-01T09:05:00.000Z",
    generatedBy: "ai",
    model: "gpt-6-luna",
  },
  {
    id: "01KJM5V7Q0ZJ3B8W1F2N6T4XEA-0",
    role: "user",
    content: "Can I take ibuprofen for a headache?",
    createdAt: "2026-03-01T09:05:00.000Z",
    generatedBy: null,
    model: null,
  },
];

const ALERT_TEXT = "This could be an emergency. Call 911 now, or have someone call.";

/** An answer with an alert. */
export const PARTS_EXAMPLE: AnswerPart[] = [
  { kind: "alert", text: ALERT_TEXT, level: "emergency", category: "cardiac" },
  { kind: "words", text: "I am staying with you. Is somebody there?" },
];

/** Messages with an alert. */
export const ALERT_EXAMPLE = [
  {
    id: "01KJM5V7Q0ZJ3B8W1F2N6T4XEA-1",
    role: "assistant",
    content: textOf(PARTS_EXAMPLE),
    createdAt: "2026-03-01T09:05:00.000Z",
    generatedBy: "ai",
    model: "gpt-6-luna",
    parts: PARTS_EXAMPLE,
    safety: {
      level: "emergency",
      category: "cardiac",
      certainty: "certain",
      decidedBy: "rule",
      cautions: [],
      alertText: ALERT_TEXT,
    },
  },
  {
    id: "01KJM5V7Q0ZJ3B8W1F2N6T4XEA-0",
    role: "user",
    content: "My chest hurts, and my left arm is numb.",
    createdAt: "2026-03-01T09:05:00.000Z",
    generatedBy: null,
    model: null,
  },
];
