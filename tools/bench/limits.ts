import type { BenchedFunction } from "./functions.ts";
import { round } from "./statistics.ts";
import type { Table } from "./table.ts";

/** The tables that were measured, as far as they were. */
export interface Measured {
  bundles?: Table;
  process?: Table;
  cold?: Table;
  handlers?: Table;
  turns?: Table;
  memory?: Table;
  capacity?: Table;
  sweep?: Table;
  docs?: Table;
}

interface Limit {
  figure: string;
  /** The bound, and whether it is an upper one. */
  bound: number;
  atLeast?: true;
  /** Undefined when it was not measured. */
  measured: number | undefined;
  /** What the figure is of, where it is the worst of several. */
  of?: string | undefined;
}

/** What the service sets itself as limits, against what was measured: the worst of all that a row speaks of. */
export function compareWithLimits(functions: BenchedFunction[], tables: Measured): Table {
  // Nobody waits for the sweep, and its work is to ask for 145 missed runs.
  const answering = functions.filter(({ name }) => name !== "sweep-threads");
  const plain = answering.filter(({ asksModel }) => !asksModel).map(({ name }) => name);
  const withModel = answering.filter(({ asksModel }) => asksModel).map(({ name }) => name);
  const requests = (tables.handlers?.rows ?? []).map(([name]) => String(name));
  const succeeding = requests.filter((name) => !/^4\d\d/.test(name));
  const rejected = requests.filter((name) => name.startsWith("400"));

  const limits: Limit[] = [
    { figure: "bundle without model, KB", bound: 200, ...worst(tables.bundles, "KB", plain) },
    { figure: "bundle with model, KB", bound: 375, ...worst(tables.bundles, "KB", withModel) },
    { figure: "process without model, x empty", bound: 2.1, ...worst(tables.process, "x empty", plain) },
    { figure: "process with model, x empty", bound: 2.9, ...worst(tables.process, "x empty", withModel) },
    { figure: "cold total without model, x empty", bound: 2.9, ...worst(tables.cold, "cold total x empty", plain) },
    { figure: "cold total with model, x empty", bound: 4.4, ...worst(tables.cold, "cold total x empty", withModel) },
    { figure: "first invoke without model, x warm", bound: 4, ...worst(tables.cold, "first x warm", plain) },
    { figure: "first invoke with model, x warm", bound: 4.5, ...worst(tables.cold, "first x warm", withModel) },
    { figure: "handler without IO, x JSON", bound: 1.5, ...worst(tables.handlers, "whole x JSON", succeeding) },
    { figure: "401 without a key, us", bound: 2, ...worst(tables.handlers, "handler us", ["401 without a key"]) },
    { figure: "401 with a wrong key, us", bound: 2, ...worst(tables.handlers, "handler us", ["401 with a wrong key"]) },
    { figure: "400, us", bound: 10, ...worst(tables.handlers, "handler us", rejected) },
    ...tripLimits(tables.capacity),
    { figure: "turn at 1 client, x bare server", bound: 2.5, ...worst(tables.turns, "p50 ms, 1 client", ["ratio"]) },
    {
      figure: "turns/s at 16 clients, x bare server",
      bound: 0.4,
      atLeast: true,
      ...worst(tables.turns, "turns/s, 16 clients", ["ratio"]),
    },
    { figure: "peak memory of chat, MB", bound: 128, ...worst(tables.memory, "peak resident MB", ["20 turns"]) },
    ...sweepLimits(tables.sweep),
  ];
  return {
    title: "What it must show",
    columns: ["figure", "limit", "measured", "of", "met"],
    rows: limits.map(({ figure, bound, atLeast, measured, of = "" }) => [
      figure,
      `${atLeast ? ">=" : "<="} ${bound}`,
      measured ?? "not measured",
      of,
      measured === undefined ? "-" : (atLeast ? measured >= bound : measured <= bound) ? "yes" : "NO",
    ]),
  };
}

/** The largest value of a column among some rows, which are known by their first cell. */
function worst(table: Table | undefined, column: string, names: string[]): Pick<Limit, "measured" | "of"> {
  const index = table?.columns.indexOf(column) ?? -1;
  const rows = (table?.rows ?? []).filter(([name]) => names.includes(String(name)));
  const [row] = rows.toSorted((a, b) => Number(b[index]) - Number(a[index]));
  return row
    ? { measured: Number(row[index]), of: rows.length > 1 ? String(row[0]) : undefined }
    : { measured: undefined };
}

/** Sequential database trips, and the write units of a turn. */
function tripLimits(capacity: Table | undefined): Limit[] {
  const trips = Object.entries({
    "chat on a thread": 2,
    "chat on a thread with linked patient": 3,
    "thread create": 1,
    "thread create with patient": 2,
    "thread read": 1,
    "thread delete": 2,
    "patient create": 1,
    "patient create, number taken": 2,
    "patient read": 1,
  }).map(([operation, bound]) => ({
    figure: `trips: ${operation}`,
    bound,
    ...worst(capacity, "trips", [operation]),
  }));
  const units = ["chat on a thread", "chat on a thread, expiry crosses a sweep"].map((operation) => ({
    figure: `write units: ${operation}`,
    bound: 6,
    ...worst(capacity, "write units", [operation]),
  }));
  return [...trips, ...units];
}

/**
 * Linear: a thread takes the same of the processor among many, within a quarter; memory grows no further, within a half,
 * which is how much the collector leaves to chance. Untouched by the living: a sweep asks for as much beside them, and a
 * thread takes the same, within a quarter. The time on the clock is the database's, which is DynamoDB only in its
 * protocol, and so it is not judged.
 */
function sweepLimits(sweep: Table | undefined): Limit[] {
  const of = (column: string, expired: number, alive = 0) => {
    const row = sweep?.rows.find((candidate) => candidate[0] === expired && candidate[1] === alive);
    return Number(row?.[sweep?.columns.indexOf(column) ?? -1]);
  };
  const limit = (figure: string, bound: number, value: number): Limit => ({
    figure: `sweep: ${figure}`,
    bound,
    measured: Number.isNaN(value) ? undefined : round(value, 2),
  });
  const [cpu, calls, memory] = ["CPU ms/thread", "calls/thread", "memory growth MB"] as const;
  return [
    limit("CPU of a thread, 3,000 x 1,000", 1.25, of(cpu, 3_000) / of(cpu, 1_000)),
    limit("CPU of a thread, 10,000 x 1,000", 1.25, of(cpu, 10_000) / of(cpu, 1_000)),
    limit("calls a thread, of 10,000", 2, of(calls, 10_000)),
    limit("memory growth, 10,000 x 1,000", 1.5, of(memory, 10_000) / of(memory, 1_000)),
    limit("CPU of a thread, beside 3,000 alive x none", 1.25, of(cpu, 3_000, 3_000) / of(cpu, 3_000)),
    limit("calls a thread, beside 3,000 alive", 2, of(calls, 3_000, 3_000)),
    limit("calls when none is due, beside 3,000 alive", 145, of("calls, none due", 3_000, 3_000)),
  ];
}
