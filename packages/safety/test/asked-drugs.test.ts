import { expect, test } from "@jest/globals";
import { withAskedDrugs } from "../cautions/asked-drugs.ts";

/** Whether a message is taken to ask about ibuprofen, of which the last answer had a caution. */
const isAskedAbout = (message: string) => withAskedDrugs(message, ["ibuprofen"]).includes("ibuprofen");

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
