import { expect, test } from "@jest/globals";
import { withAskedDrugs } from "../../../shared/chat/asked-drugs.ts";
import type { Turn } from "../../../shared/threads/thread.ts";

/** A turn whose answer had a caution about ibuprofen. */
const CAUTIONED = {
  parts: [{ kind: "caution", text: "Caution", about: "allergy", drug: "ibuprofen", because: "ibuprofen" }],
} as unknown as Turn;

const isAskedAbout = (message: string) => withAskedDrugs(message, [CAUTIONED]).includes("ibuprofen");

test.each([
  "And how often?",
  "how many a day?",
  "is it ok before my appointment?",
  "And before my appointment?",
  "Can I open the capsule?",
  "¿es seguro?",
  "¿y cuántas veces?",
  "Wie oft?",
  "Und vor dem Termin?",
  "combien par jour ?",
])("a caution still holds for a question that goes on asking: %s", (message) => {
  expect(isAskedAbout(message)).toBe(true);
});

test.each([
  "Where are you located?",
  "When do you open?",
  "Is there parking?",
  "What are your opening hours?",
  "How do I cancel my appointment?",
  "¿a qué hora abren?",
  "¿cuál es la dirección?",
  "Wann haben Sie geöffnet?",
  "Wo kann ich einen Termin machen?",
  "Quels sont vos horaires ?",
  "A que horas abrem?",
])("a caution is over with a question about the clinic: %s", (message) => {
  expect(isAskedAbout(message)).toBe(false);
});
