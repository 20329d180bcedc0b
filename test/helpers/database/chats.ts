import { afterAll, beforeAll } from "@jest/globals";
import { startSecretsServer } from "../../../packages/lambda-local/secrets-server.ts";
import { readTemplate } from "../../../packages/lambda-local/template.ts";
import { chat } from "../../../shared/chat/chat.ts";
import type { ChatRequest } from "../../../shared/chat/chat-request.ts";
import type { ChatResponse } from "../../../shared/chat/chat-response.ts";
import { CALLER, newContext } from "../caller.ts";
import { type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";

/** The chat use case in this process, with a scripted model. Available from `beforeAll` on. */
export interface Chats {
  model: ScriptedModel;
  /** @param milliseconds the time limit of the invocation */
  chat(request: ChatRequest, idempotencyKey?: string, milliseconds?: number): Promise<ChatResponse>;
}

/** Starts a scripted model for the tests of a file. Call `setUpStorage` first: chats use its database. */
export function setUpChats(): Chats {
  const chats = {} as Chats;
  let stop: () => void;
  beforeAll(async () => {
    const template = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
    const environment = Object.assign({}, ...[...template.functions.values()].map((fn) => fn.environment));
    const model = await startScriptedModel();
    const secrets = await startSecretsServer({ [environment.MODEL_KEY_SECRET]: "key-of-the-model" });
    const others = Object.entries(environment).filter(([name]) => !name.endsWith("_TABLE"));
    Object.assign(process.env, Object.fromEntries(others), {
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
      OPENAI_BASE_URL: model.baseUrl,
    });
    stop = () => {
      model.stop();
      secrets.stop();
    };
    Object.assign(chats, {
      model,
      chat: (request: ChatRequest, idempotencyKey?: string, milliseconds = 28_000) =>
        chat(newContext(CALLER, milliseconds), request, { idempotencyKey }),
    });
  });
  afterAll(() => stop());
  return chats;
}
