import type { Finding } from "../alerts.ts";
import { withInterval } from "./interval.ts";
import type { Labeled } from "./labeled.ts";

/**
 * How many messages are certain, told (certain or likely: an alert or the sentence that says whom to call if it gets
 * worse) and noticed (at least suspected).
 */
export interface Figure {
  all: number;
  certain: number;
  told: number;
  noticed: number;
}

/** A message, what was found in it, and the rows of the table in which it is counted. */
export interface Judged {
  message: Labeled;
  finding: Pick<Finding, "alert" | "certainty" | "categoryCertain"> | undefined;
  rows: string[];
}

/** Figures by row, separately for harmless messages and for alerts. */
export function figuresOf(judged: Judged[]): { harmless: Map<string, Figure>; alerts: Map<string, Figure> } {
  const harmless = new Map<string, Figure>();
  const alerts = new Map<string, Figure>();
  for (const { message, finding, rows } of judged) {
    for (const row of rows) {
      const figures = message.level === "none" ? harmless : alerts;
      const figure = figures.get(row) ?? { all: 0, certain: 0, told: 0, noticed: 0 };
      figures.set(row, figure);
      figure.all++;
      figure.certain += finding?.certainty === "certain" ? 1 : 0;
      figure.told += finding && finding.certainty !== "suspected" ? 1 : 0;
      figure.noticed += finding ? 1 : 0;
    }
  }
  return { harmless, alerts };
}

/** Formats the figures as a text table. */
export function tableOf(judged: Judged[], title = "source"): string {
  const { harmless, alerts } = figuresOf(judged);
  const lines = [row(title, "n", "certain %", "told %", "noticed %")];
  for (const [kind, figures] of [
    ["Harmless", harmless],
    ["Emergencies and crises", alerts],
  ] as const) {
    if (figures.size > 0) {
      lines.push("", kind);
    }
    for (const [name, { all, certain, told, noticed }] of [...figures].toSorted(([a], [b]) =>
      order(a).localeCompare(order(b)),
    )) {
      const shares = [certain, told, noticed].map((count) => withInterval(count, all));
      lines.push(row(`  ${name}`, String(all), ...shares));
    }
  }
  return `${lines.join("\n")}\n`;
}

/**
 * Formats the categories that fixed texts named as a text table, with the share that is right and what the others were
 * labeled.
 */
export function namedTableOf(judged: Judged[]): string {
  const named = judged.flatMap(({ message, finding }) =>
    finding?.certainty === "certain" && finding.categoryCertain
      ? [{ category: finding.alert.category, labeled: message.category }]
      : [],
  );
  const groups = [["all", named] as const, ...[...Map.groupBy(named, ({ category }) => category)].toSorted()];
  const lines = groups.map(([category, all]) => {
    const wrong = all.filter((one) => one.labeled !== one.category);
    const counts = [...Map.groupBy(wrong, ({ labeled }) => labeled)].map(
      ([labeled, { length }]) => `${length} ${labeled}`,
    );
    return row(
      `  ${category}`,
      String(all.length),
      withInterval(all.length - wrong.length, all.length),
      "",
      counts.join(", "),
    );
  });
  return `${[row("Named categories", "n", "right %", "", "wrong"), ...lines].join("\n")}\n`;
}

/** Sources first, then categories, languages and lengths, then all. */
function order(row: string): string {
  const kinds = ["category ", "recognized ", "up to ", "more than ", "all"];
  return `${kinds.findIndex((kind) => row.startsWith(kind)) + 1} ${row}`;
}

function row(name: string, all: string, ...percentages: string[]): string {
  return [name.padEnd(34), all.padStart(6), ...percentages.map((text) => text.padStart(20))].join("").trimEnd();
}
