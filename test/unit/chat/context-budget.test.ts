import "../../helpers/service/help-lines.ts";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Message } from "../../../shared/chat/chat-request.ts";
import { factsWithin, newestWithin } from "../../../shared/chat/context-budget.ts";
import { buildPrompt } from "../../../shared/chat/prompt.ts";
import { clinicOfStage } from "../../../shared/clinic.ts";
import { estimateTokens } from "../../../shared/model/token-estimate.ts";
import { clinicalFacts } from "../../../shared/patients/clinical-facts.ts";
import type { Patient } from "../../../shared/patients/patient.ts";
import { withoutMarkers } from "../../helpers/model/scripted-model.ts";

const content = fc.string({ unit: fc.constantFrom("a", " ", "é", "水", "😀"), maxLength: 400 });
const history = fc.array(fc.record({ role: fc.constantFrom<Message["role"]>("user", "assistant"), content }), {
  maxLength: 30,
});

const tokensOf = (messages: { content: string }[]) =>
  messages.reduce((sum, message) => sum + estimateTokens(message.content), 0);

describe("the token estimate", () => {
  test.each([
    ["", 0],
    ["a", 1],
    ["four", 1],
    ["fives", 2],
    ["水", 1],
    ["é", 1],
    ["abcd水", 2],
    ["éa", 2],
    ["ééabcde", 4],
    ["😀", 2],
  ])("of %j is %i", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  test("never decreases when a text grows", () => {
    fc.assert(
      fc.property(content, content, (text, more) => {
        expect(estimateTokens(text + more)).toBeGreaterThanOrEqual(estimateTokens(text));
      }),
    );
  });
});

describe("from a conversation", () => {
  test("as many of the newest messages as fit are kept in order", () => {
    fc.assert(
      fc.property(history, fc.integer({ min: -100, max: 4_000 }), (messages, budget) => {
        const kept = newestWithin(messages, budget);
        expect(kept).toEqual(messages.slice(messages.length - kept.length));
        if (kept.length > 0) {
          expect(tokensOf(kept)).toBeLessThanOrEqual(budget);
        }
        if (kept.length < messages.length) {
          expect(tokensOf(messages.slice(messages.length - kept.length - 1))).toBeGreaterThan(budget);
        }
      }),
    );
  });
});

describe("from a record", () => {
  const facts = fc.uniqueArray(fc.tuple(fc.string(), fc.string({ maxLength: 200 })), { selector: ([name]) => name });

  test("facts are kept in order until not even the shortest remaining one fits", () => {
    fc.assert(
      fc.property(facts, fc.integer({ min: -10, max: 500 }), (all, budget) => {
        const size = (fact: unknown) => estimateTokens(JSON.stringify(fact));
        const kept = factsWithin(all, budget, JSON.stringify);
        const spent = kept.reduce((sum, fact) => sum + size(fact), 0);
        expect(kept).toEqual(all.filter((fact) => kept.some(([name]) => name === fact[0])));
        expect(spent).toBeLessThanOrEqual(Math.max(budget, 0));
        const left = all.filter(([name]) => !kept.some(([other]) => other === name)).map(size);
        expect(spent + Math.min(...left)).toBeGreaterThan(budget);
      }),
    );
  });
});

describe("a prompt within a budget", () => {
  const facts = fc.record({
    age: fc.nat(120),
    gender: fc.string(),
    conditions: fc.array(content.filter(Boolean), { minLength: 1, maxLength: 5 }),
    allergies: content.filter(Boolean),
    medications: fc.array(fc.record({ name: content }), { minLength: 1, maxLength: 5 }),
    notes: fc.array(fc.record({ text: content }), { minLength: 1, maxLength: 5 }),
    refill_info: fc.record({ pharmacy: content }),
  });
  const rest = {
    id: "00000000-0000-4000-8000-000000000001",
    reminders_enabled: false,
    join_status: "API",
    revision: "a-revision",
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
  };
  const patients = facts.map((some): Patient => ({ ...some, ...rest }));
  const budget = fc.integer({ min: 1, max: 6_000 });
  const INSTRUCTIONS = buildPrompt(clinicOfStage(), {}, [], "message", undefined, 1)
    .prompt[0]?.content.split("\n\n")
    .slice(0, -1);

  const record = (system: string) =>
    JSON.parse(/\n<patient_record>\n(.*)\n<\/patient_record>$/s.exec(system)?.[1] ?? "{}");

  test("omits the oldest messages and whole facts until it fits, but never instructions, vital facts or the message", () => {
    fc.assert(
      fc.property(patients, history, content, budget, (patient, messages, message, contextTokens) => {
        const facts = clinicalFacts(patient, undefined);
        const fitted = buildPrompt(clinicOfStage(), facts, messages, message, undefined, contextTokens);
        const { prompt, omittedMessages, omittedFacts } = fitted;
        const system = prompt[0]?.content ?? "";
        expect(system.startsWith(INSTRUCTIONS?.join("\n\n") ?? "none")).toBe(true);
        const { allergies, medications, conditions } = patient;
        const kept = record(system);
        expect(kept).toMatchObject({ allergies, medications, conditions });
        expect(prompt.at(-1)).toEqual({ role: "user", content: message });

        expect(withoutMarkers(prompt.slice(1, -1))).toEqual(messages.slice(omittedMessages));
        const all = record(
          buildPrompt(clinicOfStage(), facts, [], message, undefined, 1_000_000).prompt[0]?.content ?? "",
        );
        expect(all).toMatchObject(kept);
        expect(Object.keys(all).length - Object.keys(kept).length).toBe(omittedFacts);
        if (omittedMessages < messages.length) {
          expect(tokensOf(prompt)).toBeLessThanOrEqual(contextTokens + 1);
        }
      }),
      { numRuns: 200 },
    );
  });
});
