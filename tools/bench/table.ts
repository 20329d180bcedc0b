/** The figures of one subject of the benchmark. */
export interface Table {
  title: string;
  columns: string[];
  rows: (string | number)[][];
  /** How the figures were measured. */
  notes?: string[];
}

/** Renders a table as Markdown, numbers right-aligned. */
export function render({ title, columns, rows, notes = [] }: Table): string {
  const rule = columns.map((_, column) => (rows.every((row) => typeof row[column] === "number") ? "---:" : "---"));
  const lines = [columns, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [`### ${title}`, "", ...lines, ...(notes.length > 0 ? [""] : []), ...notes.map((note) => `- ${note}`)].join(
    "\n",
  );
}
