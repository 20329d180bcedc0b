import type { IncomingMessage } from "node:http";

/** The names of this machine in a browser that runs on it. */
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Whether the request comes from a page of this service on this machine. Checking the host name prevents DNS rebinding.
 */
export function isOwnPage(request: IncomingMessage): boolean {
  const name = URL.parse(`http://${request.headers.host}`)?.hostname ?? "";
  return isOwnMachine(request) && LOOPBACK.includes(name) && request.headers["sec-fetch-site"] === "same-origin";
}

/** Whether the request comes from this machine, from a program or from a page of any site. */
export function isOwnMachine({ socket }: IncomingMessage): boolean {
  return /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "");
}
