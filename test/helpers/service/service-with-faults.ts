import { rmSync } from "node:fs";
import { afterAll, afterEach, beforeAll } from "@jest/globals";
import { openDatabase } from "../../../local/database.ts";
import { readTemplate } from "../../../local/template.ts";
import { newDataFolder } from "../database/data-folder.ts";
import { type FaultProxy, startFaultProxy } from "../database/fault-proxy.ts";
import { echo, noDanger } from "../model/scripted-model.ts";
import { startTestService, type TestService } from "./service.ts";

export interface ServiceWithFaults extends TestService {
  /** Sits between the functions and the database. */
  database: FaultProxy;
}

/**
 * Provides a local service with a proxy in front of its database to the tests of a file. Faults and the model's script
 * are reset after each test.
 *
 * @param env settings of `npm start` that override the tests' defaults
 * @returns the service; its properties are available from `beforeAll` on
 */
export function setUpServiceWithFaults(env: Record<string, string> = {}): ServiceWithFaults {
  const service = {} as ServiceWithFaults;
  beforeAll(async () => {
    Object.assign(service, await startServiceWithFaults(env));
  });
  afterEach(() => {
    Object.assign(service.model, { script: echo, verdict: noDanger });
    service.database.reset();
  });
  afterAll(() => service.stop());
  return service;
}

async function startServiceWithFaults(env: Record<string, string>): Promise<ServiceWithFaults> {
  const dataDir = newDataFolder();
  const { tables } = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  const embedded = await openDatabase(tables, dataDir);
  const database = await startFaultProxy(embedded.endpoint);
  const service = await startTestService({ ...env, DYNAMODB_ENDPOINT: database.endpoint });
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
