/** The figures of one subject of the benchmark. */
export interface Table {
  title: string;
  columns: string[];
  rows: (string | number)[][];
}

/** Renders a table as Markdown, numbers right-aligned. */
export function render({ title, columns, rows }: Table): string {
  const rule = columns.map((_, column) => (rows.every((row) => typeof row[column] === "number") ? "---:" : "---"));
  return [`### ${title}`, "", ...[columns, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
}
