import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../../local/database.ts";
import { readTemplate } from "../../../local/template.ts";
import { type FaultProxy, startFaultProxy } from "../database/fault-proxy.ts";
import { startTestService, type TestService } from "./service.ts";

export interface ServiceWithFaults extends TestService {
  /** Sits between the functions and the database. */
  database: FaultProxy;
}

/** Starts the local service with a proxy in front of its database that injects faults. */
export async function startServiceWithFaults(): Promise<ServiceWithFaults> {
  const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const { tables } = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  const embedded = await openDatabase(tables, dataDir, undefined);
  const database = await startFaultProxy(embedded.endpoint);
  const service = await startTestService({ DYNAMODB_ENDPOINT: database.endpoint });
  return {
    ...service,
    database,
    stop: async () => {
      await service.stop();
      database.stop();
      await embedded.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
