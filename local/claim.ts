import { createHash } from "node:crypto";
import { once } from "node:events";
import { realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const POLL_MILLISECONDS = 100;

/** A folder that only this process uses. */
export interface Claim {
  release(): void;
}

/**
 * Claims a folder, which must exist, for this process. The claim is a listening socket, which the operating system closes
 * however the process ends, so unlike a file it needs no cleanup.
 *
 * @returns undefined if another process has claimed the folder
 */
export async function claim(folder: string): Promise<Claim | undefined> {
  const address = socketAddress(folder);
  let server = await listen(address);
  if (!server && !address.startsWith("\0") && !(await accepts(address))) {
    rmSync(address, { force: true }); // left behind by a killed process
    server = await listen(address);
  }
  return server && { release: () => server.close() };
}

/** Like {@link claim}, but waits until the folder is free. */
export async function claimEventually(folder: string): Promise<Claim> {
  for (;;) {
    const claimed = await claim(folder);
    if (claimed) {
      return claimed;
    }
    await setTimeout(POLL_MILLISECONDS);
  }
}

/** On Linux, a name without a file ("abstract socket address", unix(7)). */
function socketAddress(folder: string): string {
  const name = `health-assistant-${createHash("sha256").update(realpathSync(folder)).digest("hex").slice(0, 32)}`;
  return process.platform === "linux" ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

async function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  server.listen(address);
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
      return undefined;
    }
    throw error;
  }
}

async function accepts(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
