import { expect, test } from "@jest/globals";
import { problemOf } from "../../tools/check-commits.ts";

test.each([
  "feat: streamed answers",
  "fix(local): a killed npm stops the service",
  "feat(api)!: another thread ID format",
  "build(deps-dev): bump jest from 30.5.1 to 30.5.2",
  "Merge branch 'main' into docs",
  'Revert "feat: streamed answers"',
])("accepts the subject %j", (subject) => {
  expect(problemOf(subject)).toBeUndefined();
});

test.each([
  ["Streamed answers", "must have the form"],
  ["feature: streamed answers", "must have the form"],
  ["feat:streamed answers", "must have the form"],
  ["feat: ", "must have the form"],
  ["feat(): streamed answers", "must have the form"],
  [`feat: ${"a".repeat(95)}`, "must have at most 100 characters"],
])("rejects the subject %j", (subject, problem) => {
  expect(problemOf(subject)).toContain(problem);
});
