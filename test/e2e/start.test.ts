import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { claim } from "../../local/claim.ts";
import { openDatabase } from "../../local/database.ts";
import { readTemplate } from "../../local/template.ts";
import { withTestAssembly } from "../helpers/template/with-test-assembly.ts";

const PROGRAM = join(import.meta.dirname, "..", "..", "local", "start.ts");

const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
const smallDisk = mountSmallDisk();
let occupied: Server;
beforeAll(async () => {
  occupied = createServer().listen(0, "127.0.0.1");
  await once(occupied, "listening");
});
afterAll(() => {
  if (smallDisk) {
    execFileSync("umount", [smallDisk]);
  }
  occupied.close();
  rmSync(folder, { recursive: true, force: true });
});

const occupiedPort = () => String((occupied.address() as AddressInfo).port);

/** Starts the service with these settings and waits until it exits. */
function start(settings: NodeJS.ProcessEnv, setUp = ""): Promise<{ code: unknown; stderr: string }> {
  const env = { ...process.env, PORT: "0", DATA_DIR: join(folder, "data"), ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import", withTestAssembly(setUp), PROGRAM], { env }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

const damaged = (dataDir: string) =>
  `${join(dataDir, "dynamodb.db")} is damaged or not a database; restore a copy of it, or move it away to start with an empty one.\n`;

/** Mounts a disk of 64 KB; returns undefined if this user may not mount one. */
function mountSmallDisk(): string | undefined {
  const disk = mkdtempSync(join(folder, "disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], { stdio: "ignore" });
    return disk;
  } catch {
    return undefined;
  }
}

describe("npm start prints one sentence that says what to do", () => {
  test("when PORT is not a port", async () => {
    expect(await start({ PORT: "99999" })).toEqual({
      code: 1,
      stderr: 'PORT is "99999"; it must be a whole number from 0 to 65535.\n',
    });
  });

  test("when the port is in use", async () => {
    expect(await start({ PORT: occupiedPort() })).toEqual({
      code: 1,
      stderr: `Port ${occupiedPort()} is in use; stop the program that uses it, or set PORT to another port.\n`,
    });
  });

  test("when the data folder cannot be created", async () => {
    writeFileSync(join(folder, "file"), "");
    const dataDir = join(folder, "file", "data");
    expect(await start({ DATA_DIR: dataDir })).toEqual({
      code: 1,
      stderr: `The data folder ${dataDir} cannot be written; set DATA_DIR to one that can.\n`,
    });
  });

  test("when the file in the data folder is not a database", async () => {
    const dataDir = mkdtempSync(join(folder, "no-database-"));
    writeFileSync(
      join(dataDir, "dynamodb.db"),
      "this is no database, and long enough not to be taken for an empty one",
    );
    expect(await start({ DATA_DIR: dataDir })).toEqual({
      code: 1,
      stderr: damaged(dataDir),
    });
  });

  test("when the middle of the database file is damaged", async () => {
    const dataDir = mkdtempSync(join(folder, "damaged-"));
    const { tables } = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
    await (await openDatabase(tables, dataDir, undefined)).stop();
    const file = join(dataDir, "dynamodb.db");
    for (const suffix of ["-wal", "-shm"]) {
      rmSync(file + suffix, { force: true });
    }
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 100));
    expect(await start({ DATA_DIR: dataDir })).toEqual({ code: 1, stderr: damaged(dataDir) });
    expect(readFileSync(file)).toEqual(bytes); // the file is left unchanged, so that it can be repaired
  });

  test("when another local service uses the data folder, whose log is left unchanged", async () => {
    const dataDir = mkdtempSync(join(folder, "used-"));
    writeFileSync(join(dataDir, "functions.log"), "lines of the other service\n");
    const claimed = await claim(dataDir);
    expect(await start({ DATA_DIR: dataDir })).toEqual({
      code: 1,
      stderr: `Another local service is using the data folder ${dataDir}; stop it, or set DATA_DIR to another folder.\n`,
    });
    expect(readFileSync(join(dataDir, "functions.log"), "utf8")).toBe("lines of the other service\n");
    claimed?.release();
  });

  // Skipped unless this user may mount the small disk.
  (smallDisk ? test : test.skip)("when the disk is full", async () => {
    const disk = smallDisk ?? "";
    writeFileSync(join(disk, "filler"), Buffer.alloc(32 * 1024));
    expect(await start({ DATA_DIR: disk })).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^The disk of \S+ is full; free some space, or set DATA_DIR to a folder on another disk\.\n$/,
      ),
    });
  });

  test("when no DynamoDB answers at DYNAMODB_ENDPOINT", async () => {
    const endpoint = "http://127.0.0.1:1";
    const { code, stderr } = await start({ DYNAMODB_ENDPOINT: endpoint });
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^The DynamoDB at ${endpoint} does not work \\(.*\\)\\.\n$`));
  });

  test("when DYNAMODB_ENDPOINT is not an address", async () => {
    expect(await start({ DYNAMODB_ENDPOINT: "localhost:8000" })).toEqual({
      code: 1,
      stderr: "DYNAMODB_ENDPOINT is not an address; it must be one that begins with http:// or https://.\n",
    });
  });

  test("when there is no embedded DynamoDB for this machine", async () => {
    const elsewhere = 'Object.defineProperty(process, "platform", { value: "sunos" });';
    const { code, stderr } = await start({}, elsewhere);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^There is no embedded DynamoDB for this machine \(.*\); start DynamoDB Local, .*\.\n$/);
    expect(stderr).toContain("DYNAMODB_ENDPOINT=");
  });
});
