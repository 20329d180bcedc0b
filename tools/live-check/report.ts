import type { Row } from "./rule.ts";

const MARKS: Record<Row["outcome"], string> = { ok: "ok  ", failed: "FAIL", skipped: "--  " };

/** The first line of the report. */
export function heading(baseUrl: string): string {
  return `Live check of ${baseUrl}\n`;
}

/** A row of the report, with the name of its group above the group's first row. */
export function lines({ group, rule, outcome, faults }: Row, previous: Row | undefined): string {
  const title = group === previous?.group ? "" : `\n${group}\n`;
  return `${title}  ${MARKS[outcome]}  ${rule}\n${faults.map((fault) => `          ${fault}\n`).join("")}`;
}

/** The last lines of the report: the number of rules by outcome, and the names of those that failed. */
export function closing(rows: Row[]): string {
  const named = (outcome: Row["outcome"]) => rows.filter((row) => row.outcome === outcome);
  const [failed, skipped] = [named("failed"), named("skipped")];
  const alone = rows.length === 1 ? "No other rule was run, because the key is not accepted.\n" : "";
  const names = failed.map(({ rule }) => `  ${rule}\n`).join("");
  return `
${rows.length} rules: ${named("ok").length} passed, ${failed.length} failed, ${skipped.length} skipped.
${alone}${names && `Failed:\n${names}`}`;
}
