/** What one subject of the benchmark measured. */
export interface Table {
  title: string;
  columns: string[];
  rows: (string | number)[][];
  /** What the figures are, and what stands in for what. */
  notes?: string[];
}

/** A table as text: words to the left, numbers to the right. */
export function render({ title, columns, rows, notes = [] }: Table): string {
  const lines = [columns, ...rows].map((row) => row.map(String));
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const toRight = columns.map((_, column) => column > 0 && rows.every((row) => typeof row[column] === "number"));
  const format = (line: string[]) =>
    widths
      .map((width, column) => (toRight[column] ? line[column]?.padStart(width) : line[column]?.padEnd(width)))
      .join("  ")
      .trimEnd();
  const [head = [], ...body] = lines;
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [title, "", format(head), rule, ...body.map(format), ...notes.map((note) => `  ${note}`)].join("\n");
}
