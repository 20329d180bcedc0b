import { create } from "./elements.ts";
import { scrollTo } from "./scrolling.ts";

/**
 * What a real model would receive: the request that the offline model of `npm start` answered last, folded.
 *
 * @param question the user's message that was answered
 * @returns undefined when the local service has none about this message
 */
export async function modelRequest(question: string): Promise<HTMLElement | undefined> {
  const response = await fetch("/local-model.json", { cache: "no-store" }).catch(() => undefined);
  if (!response?.ok) {
    return undefined;
  }
  const { messages }: { messages: { role: string; content: string }[] } = await response.json();
  if (messages.findLast(({ role }) => role === "user")?.content !== question) {
    return undefined;
  }
  const details = create(
    "details",
    "model-request",
    create("summary", "", "What a real model would receive"),
    ...messages.flatMap(({ role, content }) => [create("h3", "", role), create("pre", "", content)]),
  );
  details.addEventListener("toggle", () => details.open && scrollTo(details, "start"));
  return details;
}
