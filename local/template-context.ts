import { readTemplate, type ServiceTemplate } from "../packages/lambda-local/template.ts";
import type { LocalSettings } from "./settings.ts";

/** Stands in a template for the origin in `CORS_ORIGIN`, so that another origin does not need another template. */
const ORIGIN_PLACEHOLDER = "https://cors-origin.invalid";

/**
 * Returns the context of the template for the settings that are part of it. `dev` leaves the limit on concurrent chats
 * to the account's quota, so that it can be deployed to a new account. There is no such quota here, so the functions
 * have limits of their own.
 */
export function contextOf({
  corsOrigin,
  chatConcurrency,
}: Pick<LocalSettings, "corsOrigin" | "chatConcurrency">): Record<string, string> {
  return {
    reserveConcurrency: "true",
    // Responses for `*` have other headers than those for any other origin.
    ...(corsOrigin !== undefined && { corsOrigin: corsOrigin === "*" ? corsOrigin : ORIGIN_PLACEHOLDER }),
    ...(chatConcurrency !== undefined && { chatConcurrency: String(chatConcurrency) }),
  };
}

/** Reads the template that was synthesized with the context of {@link contextOf}, for pages of an origin. */
export function readTemplateFor(assembly: string, corsOrigin = ORIGIN_PLACEHOLDER): ServiceTemplate {
  return readTemplate(assembly, (text) => text.replaceAll(ORIGIN_PLACEHOLDER, corsOrigin));
}
