/** The figures of one subject of the benchmark. */
export interface Table {
  title: string;
  columns: string[];
  rows: (string | number)[][];
  /** How the figures were measured. */
  notes?: string[];
}

/** Renders a table as Markdown that also reads well in a terminal: text left-aligned, numbers right-aligned. */
export function render({ title, columns, rows, notes = [] }: Table): string {
  const lines = [columns, ...rows].map((row) => row.map(String));
  const widths = columns.map((_, column) => Math.max(3, ...lines.map((line) => (line[column] ?? "").length)));
  const toRight = columns.map((_, column) => column > 0 && rows.every((row) => typeof row[column] === "number"));
  const format = (line: string[]) => {
    const cells = widths.map((width, column) => {
      const cell = line[column] ?? "";
      return toRight[column] ? cell.padStart(width) : cell.padEnd(width);
    });
    return `| ${cells.join(" | ")} |`;
  };
  const [head = [], ...body] = lines;
  const rule = widths.map((width, column) => (toRight[column] ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  const text = [`### ${title}`, "", format(head), `| ${rule.join(" | ")} |`, ...body.map(format)];
  return [...text, ...(notes.length > 0 ? ["", ...notes.map((note) => `- ${note}`)] : [])].join("\n");
}
