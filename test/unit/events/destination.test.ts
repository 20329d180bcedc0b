import { lookup } from "node:dns";
import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";

/** What each name resolves to, in turn: the last answer is repeated. */
const names: Record<string, string[][]> = {};
const resolved: string[] = [];
jest.unstable_mockModule("node:dns", () => ({
  lookup: (name: string, options: object, callback: (error: Error | null, addresses?: object[]) => void) => {
    resolved.push(name);
    const answers = names[name];
    if (!answers) {
      return lookup(name, { ...options, all: true }, callback as never);
    }
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  },
}));
const { checkDestination, isPublic } = await import("../../../shared/events/destination.ts");
const { send } = await import("../../../shared/events/send.ts");
const { newSecret } = await import("../../../shared/events/signature.ts");

beforeEach(() => {
  for (const name of Object.keys(names)) {
    delete names[name];
  }
});
afterEach(() => {
  delete process.env.WEBHOOKS_TO_LOOPBACK;
});

/** URLs to which nothing is sent, and why. */
const REFUSED: [url: string, refusal: string][] = [
  ...[
    ...["http://example.com/", "ftp://example.com/", "file:///etc/passwd", "data:text/plain,x", "ws://example.com/"],
    ...["http://127.0.0.1/", "http://localhost/", "http://[::1]/"],
  ].map((url): [string, string] => [url, "scheme"]),
  ["https://user@example.com/", "credentials"],
  ["https://user:word@example.com/", "credentials"],
  ["https://:word@169.254.169.254/", "credentials"],
  ...[
    ...["127.0.0.1", "127.0.0.1.", "127.1", "127.255.255.254", "2130706433", "0x7f000001", "0x7f.1"], // loopback
    ...["0177.0.0.1", "017700000001", "%31%32%37.0.0.1", "１２７.0.0.1", "127。0。0。1"],
    ...["0.0.0.0", "0", "0.1.2.3"], // unspecified
    ...["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "0xc0a80001"], // private
    ...["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.100.1"], // link-local, metadata
    ...["100.64.0.1", "100.100.100.200", "100.127.255.255"], // carrier-grade NAT
    ...["192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1"], // special purposes
    ...["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"], // multicast, reserved, broadcast
    ...["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[::ffff:8.8.8.8]", "[::127.0.0.1]"],
    ...["[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]"], // link-local, local, metadata, multicast
    ...[
      "[64:ff9b::a9fe:a9fe]",
      "[64:ff9b:1::1]",
      "[2002:7f00:1::]",
      "[2001::1]",
      "[2001:db8::1]",
      "[3fff::1]",
      "[100::1]",
    ],
  ].map((host): [string, string] => [`https://${host}/`, "address"]),
];

describe("a URL", () => {
  test.each(REFUSED)("is refused: %s (%s)", async (url, refusal) => {
    await expect(checkDestination(url)).rejects.toMatchObject({ name: "RefusedDestination", refusal });
    expect(await send(url, [newSecret()], { id: "evt_1", body: "{}" })).toEqual({ failure: "address" });
  });

  test.each([
    ["to loopback", [["127.0.0.1"]]],
    ["to metadata", [["169.254.169.254"]]],
    ["to a private address besides a public one", [["8.8.8.8", "10.0.0.1"]]],
    ["to a mapped address", [["::ffff:10.0.0.1"]]],
    ["to a local address of IPv6", [["fd00::1"]]],
  ])("with a name that leads %s is refused, also when it is sent to", async (_, answers) => {
    names["internal.example"] = answers;
    const url = "https://internal.example/hook";
    await expect(checkDestination(url)).rejects.toMatchObject({ refusal: "address" });
    expect(await send(url, [newSecret()], { id: "evt_1", body: "{}" })).toEqual({ failure: "address" });
  });

  test("with a public name is refused once the name leads to this machine, between the check and the connection", async () => {
    let connections = 0;
    const server = createServer((_, response) => response.end());
    server.on("connection", () => connections++);
    const { origin, stop } = await listenOnLoopback(server);
    names["rebinding.example"] = [["8.8.8.8"], ["127.0.0.1"]];
    const url = `https://rebinding.example:${new URL(origin).port}/`;
    await expect(checkDestination(url)).resolves.toBeUndefined();
    expect(await send(url, [newSecret()], { id: "evt_1", body: "{}" })).toEqual({ failure: "address" });
    stop();
    expect(connections).toBe(0);
  });

  test("is looked up once for a connection, which uses that address", async () => {
    process.env.WEBHOOKS_TO_LOOPBACK = "true";
    const server = createServer((_, response) => response.end());
    const { origin, stop } = await listenOnLoopback(server);
    names.localhost = [["127.0.0.1"], ["8.8.8.8"]];
    resolved.splice(0);
    const url = origin.replace("127.0.0.1", "localhost");
    expect(await send(url, [newSecret()], { id: "evt_1", body: "{}" })).toEqual({ status: 200 });
    expect(resolved).toEqual(["localhost"]);
    stop();
  });

  test.each([
    "https://example.com",
    "https://example.com:8443/a?b=c",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
  ])("is accepted: %s", async (url) => {
    names["example.com"] = [["93.184.215.14", "2606:2800:21f:cb07::1"]];
    await expect(checkDestination(url)).resolves.toBeUndefined();
  });
});

describe("in the local service, a URL", () => {
  beforeEach(() => {
    process.env.WEBHOOKS_TO_LOOPBACK = "true";
  });

  test.each(["http://127.0.0.1:3000/", "http://[::1]/", "http://localhost/", "https://127.0.0.1/"])(
    "may lead to loopback: %s",
    async (url) => {
      names.localhost = [["127.0.0.1"]];
      await expect(checkDestination(url)).resolves.toBeUndefined();
    },
  );

  test.each([
    ...[
      "http://example.com/",
      "http://10.0.0.1/",
      "https://10.0.0.1/",
      "http://127.0.0.2/",
      "https://169.254.169.254/",
    ],
    "http://user@127.0.0.1/",
  ])("may lead nowhere else: %s", async (url) => {
    await expect(checkDestination(url)).rejects.toMatchObject({ name: "RefusedDestination" });
  });
});

test.each([
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.128.0.0",
  "172.32.0.0",
  "223.255.255.255",
  "2400::1",
  "3ffe::1",
])("%s is a public address, next to those that are not", (address) => expect(isPublic(address)).toBe(true));
