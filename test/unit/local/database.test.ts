import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "@jest/globals";
import { documentClient, startDatabase } from "../../../local/database.ts";
import { findDatabaseProgram } from "../../../local/database-program.ts";

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return port;
}

test("a database whose port another server has taken starts on another port", async () => {
  const other = createServer((_, response) => response.end("not a database"));
  const taken = await listen(other);
  const ports = [taken];
  const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const database = await startDatabase(
    findDatabaseProgram(dataDir, undefined),
    async () => ports.shift() ?? (await freePort()), // which another process may also take, so there may be more than one
  );
  const client = documentClient(database.endpoint);
  try {
    expect(new URL(database.endpoint).port).not.toBe(String(taken));
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  } finally {
    client.destroy();
    await database.stop();
    other.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
