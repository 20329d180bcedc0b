import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { claim } from "../../local/claim.ts";
import { openDatabase } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
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

/** Starts the service with these settings and waits until it exits. */
function start(settings: NodeJS.ProcessEnv, setUp = ""): Promise<{ code: unknown; stderr: string }> {
  const env = { ...process.env, PORT: "0", DATA_DIR: join(folder, "data"), ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import", withTestAssembly(setUp), PROGRAM], { env }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

/** Asserts that the service ends with this sentence when it is started with these settings. */
async function expectRefusal(settings: NodeJS.ProcessEnv, sentence: string | RegExp, setUp?: string): Promise<void> {
  const stderr = typeof sentence === "string" ? `${sentence}\n` : expect.stringMatching(sentence);
  expect(await start(settings, setUp)).toEqual({ code: 1, stderr });
}

const damaged = (dataDir: string) =>
  `${join(dataDir, "dynamodb.db")} is damaged or not a database; restore a copy of it, or move it away to start with an empty one.`;

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
  test("when the port is in use", async () => {
    const PORT = String((occupied.address() as AddressInfo).port);
    await expectRefusal(
      { PORT },
      `Port ${PORT} is in use; stop the program that uses it, or set PORT to another port.`,
    );
  });

  test("when the data folder cannot be created", async () => {
    writeFileSync(join(folder, "file"), "");
    const dataDir = join(folder, "file", "data");
    await expectRefusal(
      { DATA_DIR: dataDir },
      `The data folder ${dataDir} cannot be written; set DATA_DIR to one that can.`,
    );
  });

  test("when the middle of the database file is damaged", async () => {
    const dataDir = mkdtempSync(join(folder, "damaged-"));
    const { tables } = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
    await (await openDatabase(tables, dataDir)).stop();
    const file = join(dataDir, "dynamodb.db");
    for (const suffix of ["-wal", "-shm"]) {
      rmSync(file + suffix, { force: true });
    }
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 100));
    await expectRefusal({ DATA_DIR: dataDir }, damaged(dataDir));
    expect(readFileSync(file)).toEqual(bytes); // the file is left unchanged, so that it can be repaired
  });

  test("when another local service uses the data folder, whose log is left unchanged", async () => {
    const dataDir = mkdtempSync(join(folder, "used-"));
    writeFileSync(join(dataDir, "functions.log"), "lines of the other service\n");
    const claimed = claim(dataDir);
    await expectRefusal(
      { DATA_DIR: dataDir },
      `Another local service is using the data folder ${dataDir}; stop it, or set DATA_DIR to another folder.`,
    );
    expect(readFileSync(join(dataDir, "functions.log"), "utf8")).toBe("lines of the other service\n");
    claimed?.release();
  });

  // Skipped unless this user may mount the small disk.
  (smallDisk ? test : test.skip)("when the disk is full", async () => {
    const disk = smallDisk ?? "";
    writeFileSync(join(disk, "filler"), Buffer.alloc(32 * 1024));
    await expectRefusal(
      { DATA_DIR: disk },
      /^The disk of \S+ is full; free some space, or set DATA_DIR to a folder on another disk\.\n$/,
    );
  });

  test("when no DynamoDB answers at DYNAMODB_ENDPOINT", async () => {
    const sentence = /^The DynamoDB at http:\/\/127\.0\.0\.1:1 does not work \(.*\)\.\n$/;
    await expectRefusal({ DYNAMODB_ENDPOINT: "http://127.0.0.1:1" }, sentence);
  });
});
