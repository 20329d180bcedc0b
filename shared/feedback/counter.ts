import { alertOf } from "../../packages/safety/alerts.ts";
import { textOf } from "../threads/answer-parts.ts";
import type { Exchange } from "../threads/thread.ts";
import type { Rating } from "./feedback.ts";

/** The fields by which feedback is counted. None of them leads to a person, a thread or a time of day. */
export const FIELDS = ["day", "rating", "model", "instructions", "level", "language", "length"] as const;
export type Field = (typeof FIELDS)[number];

/** The answers that are counted together: the values of all fields. */
export interface Counter {
  /** The day of the feedback in UTC, as ISO 8601. */
  day: string;
  rating: Rating;
  /** The model that wrote the answer; null if it consists of fixed texts. */
  model: string | null;
  /** The version of the model's instructions. */
  instructions: string;
  level: "none" | "crisis" | "emergency";
  /** The language of the message that was answered. */
  language: string;
  length: "short" | "medium" | "long";
}

/** The lengths, in characters, from which an answer is not short and is long; a typical one has 810. */
const MEDIUM = 400;
const LONG = 1_200;

/** Returns the counter of feedback on the answer of a turn. */
export function counterOf({ parts, alert, origin }: Exchange, rating: Rating, at: number): Counter {
  const { length } = textOf(parts);
  return {
    day: new Date(at).toISOString().slice(0, 10),
    rating,
    ...origin,
    level: alert === undefined ? "none" : alertOf(alert).level,
    length: length < MEDIUM ? "short" : length < LONG ? "medium" : "long",
  };
}
