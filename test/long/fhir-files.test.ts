import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

/**
 * A directory with FHIR files of your own, Bundles and single resources, at any depth:
 * `FHIR_DIR=… npm run jest -- test/long/fhir-files --testPathIgnorePatterns=/node_modules/`. The table goes to standard
 * error; it has counts and reasons, and nothing of the files.
 */
const { FHIR_DIR } = process.env;
/** The types of which each resource is taken over or named as ignored. */
const TYPES = ["Patient", "AllergyIntolerance", "Condition", "MedicationStatement", "MedicationRequest", "Medication"];

const service = setUpService();

interface Resource {
  resourceType: string;
  entry?: { resource?: Resource }[];
  [field: string]: unknown;
}

/** A resource by itself, with somebody whom it can be about. */
function asBundle(resource: Resource): Resource {
  const { reference } = { ...((resource.patient ?? resource.subject) as { reference?: string } | undefined) };
  const patient = { resourceType: "Patient", id: reference?.split("/").at(-1) ?? "p", name: [{ text: "Somebody" }] };
  const entry = [{ resource: patient }, { resource }];
  return resource.resourceType === "Patient" ? resource : { resourceType: "Bundle", type: "collection", entry };
}

/** How many resources of a type there were, how many were ignored, and why. */
interface Row {
  found: number;
  ignored: number;
  reasons: Map<string, number>;
}

(FHIR_DIR ? test : test.skip)(
  "every file of a directory is imported, or refused with a reason",
  async () => {
    const rows = new Map<string, Row>(TYPES.map((type) => [type, { found: 0, ignored: 0, reasons: new Map() }]));
    const answers: Record<string, number> = {};
    const directory = FHIR_DIR ?? "";
    const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".json"),
    );
    expect(files).not.toEqual([]);
    for (const file of files) {
      const read: Resource = JSON.parse(readFileSync(join(directory, file), "utf8"));
      const body = read.resourceType === "Bundle" ? read : asBundle(read);
      const reply = await service.call("POST", "/patients/fhir", { body });
      const detail = reply.status === 400 ? `: ${reply.body.details?.[0]?.message ?? reply.body.error}` : "";
      const answer = `${reply.status}${detail}`;
      answers[answer] = (answers[answer] ?? 0) + 1;
      expect({ file, answer }).toEqual({ file, answer: expect.stringMatching(/^(201|400: .+|409)$/) });
      if (reply.status !== 201) {
        continue;
      }
      const inside =
        read.resourceType === "Bundle" ? (read.entry ?? []).flatMap((entry) => entry.resource ?? []) : [read];
      for (const { resourceType } of inside) {
        const row = rows.get(resourceType);
        if (row) {
          row.found++;
        }
      }
      for (const [type, row] of rows) {
        const ignored = (reply.body.ignored as { type: string; path: string; reason: string }[]).filter(
          (each) => each.type === type && /resource$|^Patient$/.test(each.path), // a part of a resource is not the whole
        );
        row.ignored += ignored.length;
        for (const { reason } of ignored) {
          row.reasons.set(reason, (row.reasons.get(reason) ?? 0) + 1);
        }
      }
      await service.call("DELETE", `/patients/${reply.body.patient.id}`);
    }
    const lines = [...rows].map(([type, { found, ignored, reasons }]) => {
      const why = [...reasons].map(([reason, count]) => `${count} ${reason}`).join("; ");
      return `| ${type} | ${found} | ${found - ignored} | ${why} |`;
    });
    process.stderr.write(
      `${files.length} files: ${JSON.stringify(answers)}\n| type | found | taken over | ignored |\n|---|---|---|---|\n${lines.join("\n")}\n`,
    );
  },
  3_600_000,
);
