import { afterAll, afterEach, beforeAll } from "@jest/globals";
import { echo, noDanger } from "../model/scripted-model.ts";
import type { BackendWithFaults } from "./backend.ts";
import { loadBackend, type TestService, withCalls } from "./service.ts";

export type ServiceWithFaults = TestService & BackendWithFaults;

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
    const { startBackendWithFaults } = await loadBackend();
    Object.assign(service, withCalls(await startBackendWithFaults(env)));
  });
  afterEach(() => {
    Object.assign(service.model, { script: echo, verdict: noDanger });
    service.database.reset();
  });
  afterAll(() => service.stop());
  return service;
}
