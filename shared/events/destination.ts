import { lookup as resolve } from "node:dns";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";
import { config } from "../config.ts";

/** Why a webhook's URL is refused. */
export type DestinationFault = "scheme" | "credentials" | "address";

/** Error thrown for a URL to which nothing may be sent. It quotes nothing. */
export class RefusedDestination extends Error {
  override readonly name = "RefusedDestination";
  readonly refusal: DestinationFault;

  constructor(refusal: DestinationFault) {
    super(`a webhook's URL was refused: ${refusal}`);
    this.refusal = refusal;
  }
}

/** IPv4 networks that are not public (IANA IPv4 Special-Purpose Address Registry), and multicast (RFC 5771). */
const NOT_PUBLIC_IPV4: [network: string, prefix: number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8],
  ["169.254.0.0", 16], // link-local; cloud metadata
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16],
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved; broadcast
];

/**
 * Special networks within 2000::/3, the only public part of IPv6 (IANA IPv6 Address Space; IANA IPv6 Special-Purpose
 * Address Registry). Everything outside of it is refused: loopback, unique local, link-local, multicast, IPv4-mapped,
 * NAT64.
 */
const NOT_PUBLIC_IPV6: [network: string, prefix: number][] = [
  ["2001::", 23], // protocol assignments, such as Teredo, which contains an IPv4 address
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which contains an IPv4 address
  ["3fff::", 20], // documentation
];

const notPublic = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_IPV4) {
  notPublic.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of NOT_PUBLIC_IPV6) {
  notPublic.addSubnet(network, prefix, "ipv6");
}
const globalIpv6 = new BlockList();
globalIpv6.addSubnet("2000::", 3, "ipv6");

/** Whether an IP address is one of the public internet. */
export function isPublic(address: string): boolean {
  return isIPv6(address)
    ? globalIpv6.check(address, "ipv6") && !notPublic.check(address, "ipv6")
    : !notPublic.check(address, "ipv4");
}

const LOOPBACK = ["127.0.0.1", "::1"];

/** Whether messages may be sent to this address: a public one or, in the local service, loopback. */
function isAllowed(address: string): boolean {
  return isPublic(address) || (config.webhooksToLoopback && LOOPBACK.includes(address));
}

/**
 * Parses a webhook's URL and checks everything but the address that its name stands for. The parser turns every
 * notation of an IPv4 address, such as decimal and octal ones, into the usual one.
 *
 * @throws RefusedDestination; TypeError if it is not a URL
 */
export function parseDestination(url: string): URL {
  const parsed = new URL(url);
  const host = hostOf(parsed);
  if (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && config.webhooksToLoopback && isLoopback(host))) {
    throw new RefusedDestination("scheme");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new RefusedDestination("credentials");
  }
  if (isIP(host) !== 0 && !isAllowed(host)) {
    throw new RefusedDestination("address"); // a connection to an address does not look anything up
  }
  return parsed;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || LOOPBACK.includes(host);
}

/** Returns the host of a URL, without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/**
 * Looks up a name for a connection and refuses it if any of its addresses is not public. The connection uses the
 * result, so a name cannot lead elsewhere after the check.
 */
export const lookupAllowed: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) {
      callback(error ?? new Error("the name has no address"), "");
    } else if (!addresses.every(({ address }) => isAllowed(address))) {
      callback(new RefusedDestination("address"), "");
    } else if (options.all) {
      callback(null, addresses);
    } else {
      callback(null, first.address, first.family);
    }
  });
};

/**
 * Checks a URL to which messages are to be sent, including the addresses that its name stands for now.
 *
 * @throws RefusedDestination; TypeError if it is not a URL; the resolver's error if the name cannot be resolved
 */
export async function checkDestination(url: string): Promise<void> {
  const host = hostOf(parseDestination(url));
  if (isIP(host) === 0) {
    await new Promise<void>((done, fail) => {
      lookupAllowed(host, { all: true }, (error) => (error ? fail(error) : done()));
    });
  }
}
