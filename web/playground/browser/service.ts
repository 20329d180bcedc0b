import { ApiError, HealthAssistantClient } from "../../../packages/client/client.js";
import { byId } from "./elements.ts";
import type { Recorder } from "./recorder.ts";

/** What can be sent as a key. */
const KEY = /^[\x21-\x7e]+$/;

/**
 * A client with the key that is in the page's field now; it is kept nowhere else. It repeats nothing by itself: here
 * one is to see each failure, and decides what to do.
 *
 * @returns undefined when there is no key that could be sent; the field is then asked for
 */
export function serviceClient(baseUrl: string, recorder: Recorder): HealthAssistantClient | undefined {
  const field = byId<HTMLInputElement>("api-key");
  const usable = KEY.test(field.value);
  field.setAttribute("aria-invalid", String(!usable));
  if (!usable) {
    field.focus();
    return undefined;
  }
  return new HealthAssistantClient({
    baseUrl,
    apiKey: field.value,
    retries: 0,
    fetch: recorder.fetch,
    timeoutMilliseconds: PATIENCE,
  });
}

/** Longer than the service's longest chat (`LONGEST_MODEL_SECONDS`): a model on the developer's own machine may be slow. */
const PATIENCE = 300_000;

/** A client for what the page asks by itself every few seconds, which is not shown among the requests. */
export function quietClient(baseUrl: string): HealthAssistantClient | undefined {
  const { value } = byId<HTMLInputElement>("api-key");
  return KEY.test(value) ? new HealthAssistantClient({ baseUrl, apiKey: value, retries: 0 }) : undefined;
}

/** Whether a failure says that what was asked for does not exist, or does not any more. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/**
 * What failed, in words: the service's own text with its status, or what happened to the connection; whom to call; and by
 * which ID the logs have it, if the service is at fault.
 */
export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) {
    throw error;
  }
  const details = (error.details ?? [])
    .filter(({ message }) => !error.message.endsWith(message))
    .map(({ path, message }) => (/^(must|is) /.test(message) ? `${path} ${message}` : message));
  const text = details.length > 0 ? `${error.message} (${details.join("; ")})` : error.message;
  if (error.status === 0) {
    return `${text}.`;
  }
  const help = error.help ? ` ${error.help.text}` : "";
  // A stream that fails has had its 200 before.
  const what = error.status === 200 ? "The answer broke off" : `The service answers ${error.status}`;
  const isOurs = error.status < 400 || error.status >= 500;
  const request = isOurs && error.requestId ? ` Its x-request-id is ${error.requestId}.` : "";
  return `${what}: ${text}.${help}${request}`;
}
