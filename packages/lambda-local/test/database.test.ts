import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "@jest/globals";
import { documentClient, startDatabase } from "../database.ts";
import { findDatabaseProgram } from "../database-program.ts";
import { listenOnLoopback } from "../loopback.ts";

async function freePort(): Promise<number> {
  const { origin, stop } = await listenOnLoopback(createServer());
  stop();
  return Number(new URL(origin).port);
}

test("a database whose port another server has taken starts on another port", async () => {
  const other = await listenOnLoopback(createServer((_, response) => response.end("not a database")));
  const taken = Number(new URL(other.origin).port);
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
    other.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
