// Generated from the OpenAPI document by "npm run client:types"; do not edit.

import type { HealthAssistantClient } from "./client.js";
import type { ChatRequest } from "./schemas.d.ts";
export type Conversation = Omit<ChatRequest, "message" | "threadId" | "conversationHistory" | "include"> & {
  threadId: string;
  disclosure?: string;
};
export type ChatHandlerOptions = {
  client: HealthAssistantClient;
  /**
   * decides,
   * from the session and never from what the browser says, which thread a request may use. A response refuses the
   * request
   */
  conversation: (request: Request) => Conversation | Response | Promise<Conversation | Response>;
};
/**
 * Makes the handler of an application's own route, such as `/api/chat`, for any server with the Fetch API. The key
 * stays on the server. `POST` answers the last message, as a UI message stream of the AI SDK; `GET` returns the stored
 * messages.
 *
 * A message's id is its `Idempotency-Key`: sent again, it gets the answer that is stored, and the model is not asked
 * again.
 *
 * @param {ChatHandlerOptions} options
 * @returns {(request: Request) => Promise<Response>} rejects only with what `conversation` throws, except an
 *   {@link ApiError}, which becomes a response like those of the chat
 */
export declare function createChatHandler({
  client,
  conversation,
}: ChatHandlerOptions): (request: Request) => Promise<Response>;
