import { execFileSync } from "node:child_process";

/** The running processes with their parents and commands, without zombies. Not on Windows. */
export function processes(): { pid: number; parent: number; command: string }[] {
  const table = execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" });
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, , state]) => pid && !state?.startsWith("Z"))
    .map(([pid, parent, , ...command]) => ({ pid: Number(pid), parent: Number(parent), command: command.join(" ") }));
}
