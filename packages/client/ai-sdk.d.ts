// Generated from the OpenAPI document by "npm run client:types"; do not edit.

import type { Citation, Help, Safety } from "./schemas.d.ts";
export type Alert = {
  level: "emergency" | "crisis";
  category: Safety["category"];
  text: string;
};
export type Caution = Safety["cautions"][number] & {
  text: string;
};
export type Disclosure = {
  text: string;
};
export type Held = {
  text: string;
};
export type Sources = {
  citations: Citation[];
};
export type HealthDataParts = {
  alert: Alert;
  caution: Caution;
  disclosure: Disclosure;
  held: Held;
  sources: Sources;
};
export type HealthMetadata = {
  /**
   * of an answer: false if it could not be stored, which only happens if someone may be in
   * danger; asking again adds it to the conversation. Undefined while it is not complete
   */
  stored?: boolean;
  /**
   * of a loaded answer: whether a model wrote it, or a part of it
   */
  generatedBy?: "ai" | "service" | null;
  /**
   * of an answer that is stored: its ID in the service, under which feedback is given
   */
  messageId?: string;
  /**
   * of a message by a person who has taken over the conversation: the person's name
   */
  author?: string;
};
export type DataPart =
  | {
      type: "data-alert";
      id: string;
      data: Alert;
    }
  | {
      type: "data-caution";
      id: string;
      data: Caution;
    }
  | {
      type: "data-disclosure";
      id: string;
      data: Disclosure;
    }
  | {
      type: "data-held";
      id: string;
      data: Held;
    }
  | {
      type: "data-sources";
      id: string;
      data: Sources;
    };
export type HealthChunk =
  | {
      type: "start";
    }
  | {
      type: "text-start" | "text-end";
      id: string;
    }
  | {
      type: "text-delta";
      id: string;
      delta: string;
    }
  | DataPart
  | {
      type: "finish";
      finishReason: "stop";
      messageMetadata: HealthMetadata;
    }
  | {
      type: "error";
      errorText: string;
      code?: string;
      help?: Help;
    };
export type LoadedMessage = {
  id: string;
  role: "user" | "assistant";
  metadata?: HealthMetadata;
  parts: (
    | {
        type: "text";
        text: string;
      }
    | DataPart
  )[];
};
export type LoadedChat = {
  /**
   * the conversation's; the route refuses messages with another one
   */
  id: string;
  messages: LoadedMessage[];
  /**
   * show it before the first answer
   */
  disclosure?: string;
};
export type TransportOptions = {
  /**
   * the application's route; "/api/chat" by default
   */
  api?: string;
  /**
   * the platform's own `fetch` by default
   */
  fetch?: typeof globalThis.fetch;
};
export type AnyMessage = {
  id: string;
  role: string;
  parts: readonly {
    type: string;
    text?: string;
  }[];
};
/**
 * The AI SDK's `ChatTransport` to a route of {@link import("./ai-sdk-server.js").createChatHandler}. Errors are
 * {@link ApiError}s: `code` is `thread-not-found` if the conversation has ended.
 *
 * The message that waits for its answer is kept in the tab's session storage, so that a page that is reloaded meanwhile
 * receives the answer.
 */
export declare class HealthChatTransport {
  /** @param {TransportOptions} [options] */
  constructor({ api, fetch }?: TransportOptions);
  /**
   * Loads the conversation. Pass its `id` and `messages` to `useChat`, with `resume: true`.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<LoadedChat>} at most the last 100 messages
   * @throws ApiError
   */
  load({ signal }?: { signal?: AbortSignal }): Promise<LoadedChat>;
  /**
   * Returns what a person has written who has taken over, as far as it is not shown yet. Call it every few seconds
   * while the page is visible and no answer is arriving, and append the messages.
   *
   * @param {readonly { id: string }[]} shown the messages that are shown
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<LoadedMessage[]>} oldest first
   * @throws ApiError
   */
  personMessages(
    shown: readonly {
      id: string;
    }[],
    {
      signal,
    }?: {
      signal?: AbortSignal;
    },
  ): Promise<LoadedMessage[]>;
  /**
   * Sends the user's last message. If it has been sent before, its stored answer arrives again, if there is one.
   *
   * @param {{ chatId: string, messages: AnyMessage[], abortSignal?: AbortSignal | undefined,
   *   headers?: Record<string, string> | Headers }} options
   * @returns {Promise<ReadableStream<HealthChunk>>} fails with an ApiError
   */
  sendMessages({
    chatId,
    messages,
    abortSignal,
    headers,
  }: {
    chatId: string;
    messages: AnyMessage[];
    abortSignal?: AbortSignal | undefined;
    headers?: Record<string, string> | Headers;
  }): Promise<ReadableStream<HealthChunk>>;
  /**
   * Continues after a reload: the message that was waiting for its answer is sent again, under its id.
   *
   * @param {{ chatId: string, abortSignal?: AbortSignal | undefined, headers?: Record<string, string> | Headers }}
   *   options
   * @returns {Promise<ReadableStream<HealthChunk> | null>} null if no message was waiting
   */
  reconnectToStream(options: {
    chatId: string;
    abortSignal?: AbortSignal | undefined;
    headers?: Record<string, string> | Headers;
  }): Promise<ReadableStream<HealthChunk> | null>;
}
