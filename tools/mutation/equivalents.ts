import type { Mutant } from "./mutants.ts";

/** A mutant that changes nothing that a test could observe, and the reason. */
interface Equivalent {
  file: string;
  /** The line it is on, without indentation. */
  code: string;
  before: string;
  after: string;
  why: string;
}

export const EQUIVALENTS: Equivalent[] = [
  {
    file: "shared/chat/idempotency.ts",
    code: "const POLL_MILLISECONDS = 200;",
    before: "200",
    after: "201",
    why: "a pause that is one millisecond longer",
  },
  {
    file: "shared/chat/context-budget.ts",
    code: "for (let index = 0; index < text.length; index++) {",
    before: " < ",
    after: " <= ",
    why: "charCodeAt returns NaN after the end, which is not less than 128",
  },
  {
    file: "shared/threads/idempotency-record-repository.ts",
    code: "let now = 0;",
    before: "0",
    after: "1",
    why: "it is set before it is read",
  },
  {
    file: "shared/http/parse-request.ts",
    code: 'const [{ path, message } = { path: "", message: "is not valid" }] = details;',
    before: '"is not valid"',
    after: '""',
    why: "there is always a detail; the default is for the compiler",
  },
  {
    file: "shared/dynamo/client.ts",
    code: '{ step: "initialize", name: "databaseMs" },',
    before: 'step: "initialize", ',
    after: "",
    why: "it is the default",
  },
  {
    file: "shared/chat/reply.ts",
    code: "private to = 0;",
    before: "0",
    after: "1",
    why: "it is set at the end of every reply, before it is read",
  },
];

/** @returns why a mutant is equivalent; undefined if it is not known to be */
export function whyEquivalent(mutant: Mutant, source: string): string | undefined {
  const code = source.split("\n")[mutant.line - 1]?.trim();
  return EQUIVALENTS.find(
    (one) =>
      one.file === mutant.file && one.code === code && one.before === mutant.before && one.after === mutant.after,
  )?.why;
}
