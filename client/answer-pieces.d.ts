// Generated from the OpenAPI document by "npm run client:types"; do not edit.

import type { ThreadMessage } from "./client.js";
import type { Safety } from "./schemas.d.ts";
export type Finding =
  | {
      kind: "emergency" | "crisis";
      category: Safety["category"];
    }
  | {
      kind: "caution";
      caution: Safety["cautions"][number];
    };
/**
 * Divides a streamed answer into fixed texts, the model's own words and cautions. The events say which is which: the
 * piece after a higher certain level is the fixed text, and the pieces after cautions are the cautions.
 */
export declare class AnswerPieces {
  /**
   * Takes an event `safety`.
   *
   * @param {Safety} safety
   */
  noteSafety({ level, category, certainty, cautions }: Safety): void;
  /**
   * Takes the text of an event `delta`.
   *
   * @param {string} text
   * @returns {{ text: string, finding?: Finding }[]} usually one piece; more for a repeated answer, whose cautions arrive
   *   together
   */
  take(text: string): {
    text: string;
    finding?: Finding;
  }[];
}
/**
 * Divides a stored answer into the same pieces as when it was streamed.
 *
 * @param {ThreadMessage} message read with `include: "safety"`; without findings, it is one piece
 * @returns {{ text: string, finding?: Finding }[]}
 */
export declare function storedPieces({ content, safety }: ThreadMessage): {
  text: string;
  finding?: Finding;
}[];
