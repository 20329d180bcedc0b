import { synthesize } from "../../infra/local/synthesize.ts";
import { startSurroundings } from "../helpers/in-process.ts";
import { measureOperations } from "../helpers/operations.ts";

/** What each operation asks of the database, in trips and in the units that AWS bills. */
export async function benchCapacity(): Promise<{ title: string; columns: string[]; rows: (string | number)[][] }> {
  const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? (await synthesize(".build/bench-cdk.out"));
  const surroundings = await startSurroundings(assembly);
  try {
    const usages = await measureOperations(surroundings);
    return {
      title: "Database, per operation (threads with 20 messages; question 170 characters, answer 810)",
      columns: ["operation", "trips", "calls", "read units", "write units", "of those, index"],
      rows: Object.entries(usages).map(([operation, usage]) => [
        operation,
        usage.trips,
        usage.calls,
        usage.readUnits,
        usage.writeUnits,
        usage.indexWriteUnits,
      ]),
    };
  } finally {
    await surroundings.stop();
  }
}
