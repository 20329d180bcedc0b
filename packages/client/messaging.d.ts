// Generated from the OpenAPI document by "npm run client:types"; do not edit.

import type { HealthAssistantClient } from "./client.js";
export type IncomingMessage = {
  id: string;
  phone: string;
  text: string;
  [other: string]: unknown;
};
export type RelayOptions = {
  client: HealthAssistantClient;
  /**
   * sends a text to whoever wrote a message
   */
  send: (message: IncomingMessage, text: string) => Promise<void>;
  /**
   * what must survive a restart: which messages
   * were sent, who wrote STOP, and where a person may write; with phone numbers and without what was said
   */
  notes: Pick<Map<string, unknown>, "get" | "set" | "entries">;
  /**
   * the texts after STOP, after what is not
   * text, and if the service cannot answer (followed by whom to call), instead of the English ones
   */
  texts?: {
    stopped?: string;
    unreadable?: string;
    failed?: string;
  };
};
/**
 * Answers the messages of a channel such as SMS, each once, in order, and in one conversation for each phone number,
 * until its user writes STOP. A message is noted once its answer is sent, so if the process ends in between, the answer
 * is sent twice and never lost.
 */
export declare class MessageRelay {
  /** @param {RelayOptions} options */
  constructor({ client, send, notes, texts }: RelayOptions);
  /**
   * Answers a message after the earlier ones of its phone number. Whoever delivered it should do so again if this fails.
   *
   * @param {IncomingMessage} message
   * @returns {Promise<void>}
   * @throws {ApiError} a failure that may pass; and what `send` throws
   */
  receive(message: IncomingMessage): Promise<void>;
  /** After a restart: passes on what persons write on the conversations that they had taken over before. */
  resume(): void;
}
/**
 * Splits a text into messages, between sentences. A sentence is only split, at spaces, if it alone is too long, so one
 * with a number to call stays whole.
 *
 * @param {string} text
 * @param {number} longest the most characters (UTF-16 code units) of a message
 * @returns {string[]}
 */
export declare function split(text: string, longest: number): string[];
