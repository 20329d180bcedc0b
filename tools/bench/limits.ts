import type { BenchedFunction } from "./functions.ts";
import { round } from "./statistics.ts";
import type { Table } from "./table.ts";

/** The measured tables, by subject. */
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
  bound: number;
  /** The bound is a minimum, not a maximum. */
  atLeast?: true;
  /** Undefined when it was not measured. */
  measured: number | undefined;
  /** The subject with the worst figure, where there are several. */
  of?: string | undefined;
}

const CHAT = "POST /chat";

/** Compares the measured figures with the project's limits. Each row takes the worst figure of all its subjects. */
export function compareWithLimits(functions: BenchedFunction[], tables: Measured): Table {
  // The sweep is excluded: no caller waits for it, and it makes 145 index queries per run.
  const answering = functions.filter(({ name }) => name !== "sweep-threads");
  const plain = answering.filter(({ asksModel }) => !asksModel).map(({ name }) => name);
  const withModel = answering.filter(({ asksModel }) => asksModel).map(({ name }) => name);
  const requests = (tables.handlers?.rows ?? []).map(([name]) => String(name));
  const others = requests.filter((name) => !/^4\d\d/.test(name) && name !== CHAT);
  const ofStatus = (status: string) => requests.filter((name) => name.startsWith(status));

  const limits: Limit[] = [
    { figure: "bundle without model, KB", bound: 200, ...worst(tables.bundles, "KB", plain) },
    { figure: "bundle with model, KB", bound: 340, ...worst(tables.bundles, "KB", withModel) },
    { figure: "process without model, x empty", bound: 2.1, ...worst(tables.process, "x empty", plain) },
    { figure: "process with model, x empty", bound: 2.9, ...worst(tables.process, "x empty", withModel) },
    { figure: "cold total without model, x empty", bound: 2.2, ...worst(tables.cold, "cold total x empty", plain) },
    { figure: "cold total with model, x empty", bound: 3.2, ...worst(tables.cold, "cold total x empty", withModel) },
    { figure: "first invoke without model, x warm", bound: 4, ...worst(tables.cold, "first x warm", plain) },
    { figure: "first invoke with model, x warm", bound: 4.5, ...worst(tables.cold, "first x warm", withModel) },
    // Chat reads four messages for signs of danger, and everything else mostly reads and writes JSON.
    { figure: "chat without I/O, x JSON", bound: 10, ...worst(tables.handlers, "handler x JSON", [CHAT]) },
    { figure: "others without I/O, x JSON", bound: 2.5, ...worst(tables.handlers, "handler x JSON", others) },
    { figure: "401, x JSON", bound: 1.5, ...worst(tables.handlers, "handler x JSON", ofStatus("401")) },
    { figure: "400, x JSON", bound: 2.2, ...worst(tables.handlers, "handler x JSON", ofStatus("400")) },
    ...tripLimits(tables.capacity),
    { figure: "turn at 1 client, x bare server", bound: 2.5, ...worst(tables.turns, "p50 ms, 1 client", ["ratio"]) },
    {
      figure: "turns/s at 16 clients, x bare server",
      bound: 0.4,
      atLeast: true,
      ...worst(tables.turns, "turns/s, 16 clients", ["ratio"]),
    },
    {
      figure: "peak memory of chat, MB",
      bound: 128,
      ...worst(tables.memory, "peak resident MB", ["a message in every language"]),
    },
    ...sweepLimits(tables.sweep),
  ];
  return {
    title: "Limits",
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

/** The largest value of a column among the rows whose first cell is in `names`. */
function worst(table: Table | undefined, column: string, names: string[]): Pick<Limit, "measured" | "of"> {
  const index = table?.columns.indexOf(column) ?? -1;
  const rows = (table?.rows ?? []).filter(([name]) => names.includes(String(name)));
  const [row] = rows.toSorted((a, b) => Number(b[index]) - Number(a[index]));
  return row
    ? { measured: Number(row[index]), of: rows.length > 1 ? String(row[0]) : undefined }
    : { measured: undefined };
}

/** Limits for sequential round trips to the database, and for the write units of a turn. */
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
 * Limits for the sweep. It must scale linearly: CPU time per thread may grow by at most a quarter with the number of
 * expired threads, and memory by at most a half, which allows for garbage collection. It must not depend on active
 * threads: they may add no calls, and at most a quarter of CPU time. Elapsed time is not limited, because it depends on
 * the local database engine.
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
    limit("CPU per thread, 3,000 x 1,000", 1.25, of(cpu, 3_000) / of(cpu, 1_000)),
    limit("CPU per thread, 10,000 x 1,000", 1.25, of(cpu, 10_000) / of(cpu, 1_000)),
    limit("calls per thread, 10,000 expired", 2, of(calls, 10_000)),
    limit("memory growth, 10,000 x 1,000", 1.5, of(memory, 10_000) / of(memory, 1_000)),
    limit("CPU per thread, 3,000 active x none", 1.25, of(cpu, 3_000, 3_000) / of(cpu, 3_000)),
    limit("calls per thread, 3,000 active", 2, of(calls, 3_000, 3_000)),
    limit("calls when none is due, 3,000 active", 145, of("calls, none due", 3_000, 3_000)),
  ];
}
