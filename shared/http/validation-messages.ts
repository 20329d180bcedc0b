import type * as z from "zod/mini";

type Issue = z.core.$ZodRawIssue;

/**
 * Returns the problem with a value as a caller reads it after the field name: "must be a string". It never quotes the
 * value. Replaces the schema library's own texts, which describe its types.
 */
export function validationMessage(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_big":
      return `must have at most ${issue.maximum} ${unit(issue.origin)}`;
    case "too_small":
      return issue.minimum === 1 ? "must not be empty" : `must have at least ${issue.minimum} ${unit(issue.origin)}`;
    case "invalid_union":
      return unionMessage(issue.errors.map(([first]) => first?.message ?? ""));
    default:
      return "is not valid";
  }
}

/** Returns the problem within the intended alternative if the type identifies it; otherwise all the types. */
function unionMessage(messages: string[]): string {
  const types = messages.map((message) => /^must be (an? \w+)$/.exec(message)?.[1]);
  return messages.find((_, index) => types[index] === undefined) ?? `must be ${types.join(" or ")}`;
}

function withArticle(type: string): string {
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

function unit(origin: string): string {
  return origin === "array" ? "items" : "characters";
}
