import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isIPv6 } from "node:net";

/** Whether the system shows which process listens where (Linux, proc(5)). */
export const SHOWS_LISTENERS = process.platform === "linux";

/** A port of TCP that a process listens on. */
export interface ListeningPort {
  address: string;
  port: number;
}

/** The state LISTEN in `/proc/net/tcp` (Linux, `include/net/tcp_states.h`). */
const LISTEN = "0A";

/**
 * Returns every port of TCP that a process or one of its descendants listens on.
 *
 * @param pid the process at the root
 */
export function listeningPorts(pid: number): ListeningPort[] {
  const sockets = new Set(processTree(pid).flatMap(socketsOf));
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) =>
    linesOf(table)
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = ""]) => state === LISTEN && sockets.has(inode))
      .map(([, local = ""]) => parsed(local)),
  );
}

/** The URL of a port, to which a program of this machine can send a request. */
export function urlOf({ address, port }: ListeningPort): string {
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

function processTree(root: number): number[] {
  const children = Map.groupBy(runningProcesses(), parentOf);
  const below = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(below)];
  return below(root);
}

function runningProcesses(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** The fourth field of `stat`; the second one is a name in parentheses, which may contain anything. */
function parentOf(pid: number): number {
  const [stat = ""] = linesOf(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** The inodes of the sockets that a process has open. */
function socketsOf(pid: number): string[] {
  return ifItStillRuns(() => readdirSync(`/proc/${pid}/fd`), []).flatMap((fd) => {
    const target = ifItStillRuns(() => readlinkSync(`/proc/${pid}/fd/${fd}`), "");
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
  });
}

/** An address such as `0100007F:0BB8`: groups of four bytes, each in the byte order of the (little-endian) machine. */
function parsed(local: string): ListeningPort {
  const [hex = "", port = ""] = local.split(":");
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((group) => group.match(/../g)?.reverse() ?? []);
  const address =
    bytes.length === 4
      ? bytes.map((byte) => Number.parseInt(byte, 16)).join(".")
      : new URL(`http://[${bytes.join("").match(/.{4}/g)?.join(":")}]`).hostname.slice(1, -1);
  return { address, port: Number.parseInt(port, 16) };
}

function linesOf(file: string): string[] {
  return ifItStillRuns(() => readFileSync(file, "utf8"), "")
    .trimEnd()
    .split("\n");
}

/** A process, or a file that it had open, may have gone in the meantime. */
function ifItStillRuns<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
