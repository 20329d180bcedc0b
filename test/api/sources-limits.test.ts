import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { variableOf } from "../../local/service.ts";
import { documentClient } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { libraryKey, sourceKey } from "../../shared/dynamo/keys.ts";
import { LOCAL_TENANT } from "../helpers/caller.ts";
import { internalError } from "../helpers/database/faults.ts";
import { CARDIAC, EMERGENCY_TEXT } from "../helpers/safety-messages.ts";
import { setUpServiceWithFaults } from "../helpers/service/service-with-faults.ts";

const service = setUpServiceWithFaults();

const QUESTION = "When are you open?";
const HOURS = { title: "Opening hours", text: "We are open from 8 to 18." };
const RULE = "About the clinic itself";

const store = (id: string, body: object) => service.call("PUT", `/sources/${id}`, { body });

/** Alters a source as an earlier version of the service may have stored it, and the library with it. */
async function storeAsBefore(id: string, field: "text" | "language", value: unknown) {
  const TableName = variableOf(readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? ""), "SOURCES_TABLE");
  const client = documentClient(service.dynamoDbEndpoint);
  const changes = [
    [sourceKey(LOCAL_TENANT, id), field, value],
    [libraryKey(LOCAL_TENANT), "version", crypto.randomUUID()],
  ] as const;
  for (const [Key, name, now] of changes) {
    await client.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: "SET #name = :value",
        ExpressionAttributeNames: { "#name": name },
        ExpressionAttributeValues: { ":value": now },
      }),
    );
  }
  client.destroy();
}

async function ask(message = QUESTION) {
  service.model.script = () => ({ content: "[[level: none]]\nFrom 8 to 18 [1]." });
  const { status, body } = await service.chat({ message, include: ["sources"] });
  const notice = service.prompt().find(({ content }) => content.includes(RULE))?.content;
  return { status, body, notice };
}

const KB_64 = 64 * 1024;

/** Texts of 64 KB that have made a chat slow or failed it. */
const HOSTILE: [string, string][] = [
  ["blanks in a heading", `# a${" ".repeat(KB_64 - 4)}b`],
  ["blanks behind a number sign and a lone CR", `#${" ".repeat(KB_64 - 3)}\r`],
  ["number signs", `# a${" #".repeat((KB_64 - 4) / 2)}b`],
  ["lone CRs", `${"#\r".repeat(KB_64 / 2 - 4)}text`],
  ["one word", "a".repeat(KB_64)],
  ["Han characters", Array.from({ length: 21_000 }, (_, at) => String.fromCharCode(0x4e00 + (at % 20_000))).join("")],
  ["line breaks and blanks", `${"\n ".repeat(KB_64 / 2 - 4)}text`],
];

beforeEach(async () => {
  await store("hours", HOURS);
});

describe("a source", () => {
  test.each(HOSTILE)("of 64 KB with %s is stored, and costs the other sources nothing", async (_, text) => {
    expect((await store("long", { title: "Long", text })).status).toBe(200);
    const { body } = await ask();
    expect(body.citations).toMatchObject([{ sourceId: "hours" }]);
    expect((await service.chat({ message: CARDIAC })).body.response).toMatch(EMERGENCY_TEXT);
    expect(
      (await service.call("GET", "/sources")).body.sources.map(({ problem }: { problem?: string }) => problem),
    ).toEqual([undefined, undefined]);
  });

  test.each(["\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085"])("may have lines that end with %j", async (end) => {
    const text = ["# Parking", "", "Two free hours.", "", "# Holidays", "", "Closed on Christmas Day."].join(end);
    await store("house", { title: "House", text });
    await service.chat({ message: "Are you closed on Christmas Day?" });
    const notice = service.prompt().find(({ content }) => content.includes(RULE))?.content ?? "";
    const [passage] = JSON.parse(notice.split(/^<\/?clinic_sources>$/m)[1] ?? "[]");
    expect(passage).toMatchObject({ title: "House > Holidays", text: "Closed on Christmas Day." });
  });

  test("with a line that is too long for a heading keeps it as text", async () => {
    await store("house", { title: "House", text: `# ${"Two free hours in the garage. ".repeat(10)}` });
    await service.chat({ message: "Are there free hours in the garage?" });
    expect(JSON.stringify(service.prompt())).toContain("Two free hours in the garage. Two free hours");
  });

  test("of more passages than any honest one is a 400 that says what to do", async () => {
    const { status, body } = await store("lines", { title: "Lines", text: "# a\nb\n".repeat(1_001) });
    expect({ status, details: body.details }).toEqual({
      status: 400,
      details: [
        {
          path: "text",
          message: "must have at most 1000 passages; divide it into several sources, or give it fewer headings",
        },
      ],
    });
  });

  test.each(["de-DE-DE", "en-US-x", "zh-cmn-Hans", `en${"-abcde".repeat(60)}`])(
    "in the language %s is a 400",
    async (language) => {
      const { status, body } = await store("hours", { ...HOURS, language });
      expect({ status, path: body.details?.[0].path }).toEqual({ status: 400, path: "language" });
    },
  );

  // The last is not valid (RFC 5646, section 2.2.5), but a pattern, which the reference shows, cannot say so.
  test.each(["en", "zh-Hant-TW", "es-419", "de-1996", "ca-valencia", "de-1996-1996"])(
    "may be in the language %s",
    async (language) => {
      expect((await store("hours", { ...HOURS, language })).status).toBe(200);
    },
  );
});

describe("a source that was stored under other rules", () => {
  test.each(["de-DE-DE", "en-US-x", ""])("in the language %j is used", async (language) => {
    await store("long", { title: "Long", text: `${"This sentence is not about the subject. ".repeat(30)}` });
    await storeAsBefore("long", "language", language);
    expect((await ask()).body.citations).toMatchObject([{ sourceId: "hours" }]);
  });

  test.each<[string, unknown, RegExp]>([
    ["too many passages", "# a\nb\n".repeat(1_001), /^must have at most 1000 passages/],
    ["no text", null, /^cannot be divided into passages/],
  ])("with %s costs only itself, and the list says what is wrong with it", async (_, text, problem) => {
    await store("broken", HOURS);
    await storeAsBefore("broken", "text", text);
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.citations).toMatchObject([{ sourceId: "hours" }]);
    const { sources } = (await service.call("GET", "/sources")).body;
    const problemOf = (id: string) => sources.find((source: { id: string }) => source.id === id).problem;
    expect(problemOf("broken")).toMatch(problem);
    expect(problemOf("hours")).toBeUndefined();
  });
});

test("without the sources, because they cannot be read, the model still says nothing else of the clinic", async () => {
  service.database.fail("GetItem", internalError, Number.POSITIVE_INFINITY);
  const { status, notice } = await ask();
  expect(status).toBe(200);
  expect(notice).toContain("answer only from these passages");
});
