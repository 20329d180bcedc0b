import type { Row } from "./rule.ts";

const MARKS: Record<Row["outcome"], string> = { ok: "ok  ", broken: "FAIL", "not played": "--  " };

/** The first line of the report. */
export function heading(baseUrl: string): string {
  return `Live check of ${baseUrl}\n`;
}

/** A row of the report, below the name of its group when that has just begun. */
export function lines({ group, rule, outcome, faults }: Row, previous: Row | undefined): string {
  const title = group === previous?.group ? "" : `\n${group}\n`;
  return `${title}  ${MARKS[outcome]}  ${rule}\n${faults.map((fault) => `          ${fault}\n`).join("")}`;
}

/** The last lines of the report: how many rules hold, and the names of those that do not. */
export function closing(rows: Row[]): string {
  const named = (outcome: Row["outcome"]) => rows.filter((row) => row.outcome === outcome);
  const [broken, notPlayed] = [named("broken"), named("not played")];
  const alone = rows.length === 1 ? "Nothing else was played, since the key is not accepted.\n" : "";
  const names = broken.map(({ rule }) => `  ${rule}\n`).join("");
  return `
${rows.length} rules: ${named("ok").length} hold, ${broken.length} broken, ${notPlayed.length} not played.
${alone}${names && `Broken:\n${names}`}`;
}
