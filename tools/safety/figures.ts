import { rank, type SafetyAlert } from "../../shared/safety/alert.ts";
import type { Labelled } from "./labeled.ts";

/** How many of some messages were judged rightly. */
export interface Figure {
  right: number;
  all: number;
}

/** An alert is judged rightly when the level raised is at least its own; a harmless message, when nothing is raised. */
export function isRight({ level }: Labelled, alert: SafetyAlert | undefined): boolean {
  const needed = { none: 0, crisis: 1, emergency: 2 }[level];
  return needed === 0 ? alert === undefined : rank(alert) >= needed;
}

/** Figures by category, of alerts and of harmless messages, each with a last row for all of them. */
export function figuresOf(judged: { message: Labelled; alert: SafetyAlert | undefined }[]): Map<string, Figure> {
  const figures = new Map<string, Figure>();
  for (const { message, alert } of judged.toSorted((a, b) => order(a.message).localeCompare(order(b.message)))) {
    const total = message.level === "none" ? "specificity" : "sensitivity";
    for (const name of [message.category, message.level === "none" ? "" : message.level, total].filter(Boolean)) {
      const figure = figures.get(name) ?? { right: 0, all: 0 };
      figures.set(name, { right: figure.right + (isRight(message, alert) ? 1 : 0), all: figure.all + 1 });
    }
  }
  return figures;
}

function order({ level, category }: Labelled): string {
  return `${["emergency", "crisis", "none"].indexOf(level)} ${category}`;
}

/** Per cent, with the 95 % interval of Wilson (1927), which holds for shares near 1 as well. */
export function withInterval({ right, all }: Figure): string {
  const z = 1.96;
  const share = right / all;
  const centre = (share + (z * z) / (2 * all)) / (1 + (z * z) / all);
  const half = (z / (1 + (z * z) / all)) * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  const percent = (value: number) => (100 * value).toFixed(1);
  return `${percent(share)} % (${percent(Math.max(0, centre - half))} to ${percent(Math.min(1, centre + half))})`;
}
