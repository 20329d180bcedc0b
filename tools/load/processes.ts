import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The resources that all processes of one part of the service hold at a moment. */
export interface Holding {
  processes: number;
  /** Resident memory. */
  megabytes: number;
  descriptors: number;
}

/** The service's own process, its Lambda environments, and the embedded database. */
export interface Sample {
  /** Milliseconds since the start of the load. */
  at: number;
  service: Holding;
  lambdas: Holding;
  database: Holding;
  databaseMegabytes: number;
  logMegabytes: number;
}

const MEGABYTE = 1024 * 1024;
const PAGE_BYTES = 4096;

/** Whether this system reports the resources of processes in `/proc`, as Linux does. */
export function canMeasure(): boolean {
  try {
    return readdirSync("/proc/self/fd").length > 0;
  } catch {
    return false;
  }
}

/** Measures the processes of a service, and the files in its data directory. */
export function takeSample(pid: number, dataDir: string, at: number): Sample {
  const below = descendants(pid);
  const lambdas = below.filter((one) => commandOf(one).includes("aws-lambda-ric"));
  const database = below.filter((one) => /^\S*dynoxide /.test(commandOf(one)));
  const files = readdirSync(dataDir);
  const megabytesOf = (wanted: (file: string) => boolean) =>
    files.filter(wanted).reduce((sum, file) => sum + sizeOf(join(dataDir, file)), 0) / MEGABYTE;
  return {
    at,
    service: holdingOf([pid]),
    lambdas: holdingOf(lambdas),
    database: holdingOf(database),
    databaseMegabytes: megabytesOf((file) => file.startsWith("dynamodb.db")),
    logMegabytes: megabytesOf((file) => file.includes(".log")),
  };
}

function holdingOf(pids: number[]): Holding {
  const holding = { processes: 0, megabytes: 0, descriptors: 0 };
  for (const pid of pids) {
    try {
      const resident = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
      holding.descriptors += readdirSync(`/proc/${pid}/fd`).length;
      holding.megabytes += (resident * PAGE_BYTES) / MEGABYTE;
      holding.processes++;
    } catch {
      // the process has just ended
    }
  }
  return holding;
}

/** All descendants of a process. Node starts processes in its main thread. */
function descendants(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** The program and its arguments. */
function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // the process has just ended
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
