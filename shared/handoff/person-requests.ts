import patterns from "./data/person-requests.json" with { type: "json" };

/**
 * Plain requests for a person, in the languages of the fixed texts. They are recognized without the model, which finds
 * the others: a pattern matches only what can hardly mean anything else. "Should I talk to a doctor?" is a question
 * about health, so the patterns name no professions.
 */
const REQUESTS = Object.values(patterns).flatMap((list) => list.map((pattern) => new RegExp(pattern)));

/** Whether a message plainly asks for a person instead of the AI. */
export function asksForPerson(message: string): boolean {
  const plain = message.toLowerCase().replaceAll("’", "'").replaceAll(/\s+/g, " ");
  return REQUESTS.some((request) => request.test(plain));
}
