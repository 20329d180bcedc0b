import type { TestEnvironment } from "../helpers/service/in-process.ts";
import { measureOperations } from "../helpers/service/operations.ts";
import type { Table } from "./table.ts";

/** Measures each operation's database usage: sequential round trips, calls, and the units that AWS bills. */
export async function measureCapacity(environment: TestEnvironment): Promise<Table> {
  console.info = () => {}; // the operations' audit log
  const usages = await measureOperations(environment);
  return {
    title: "Database, per operation (threads with 20 messages; question 170 characters, answer 810)",
    columns: ["operation", "trips", "calls", "read units", "write units", "of those, index"],
    rows: Object.entries(usages).map(([operation, usage]) => [
      operation,
      ...[usage.trips, usage.calls, usage.readUnits, usage.writeUnits, usage.indexWriteUnits],
    ]),
  };
}
