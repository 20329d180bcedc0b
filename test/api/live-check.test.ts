import { expect, test } from "@jest/globals";
import { liveCheck, PLAN, type Row } from "../../tools/live-check/live-check.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

test("the service keeps every rule that npm run check:live checks", async () => {
  service.model.script = () => ({ content: "Rest and drink water." });
  const rows: Row[] = [];
  for await (const row of liveCheck({ baseUrl: service.baseUrl, apiKey: API_KEY })) {
    rows.push(row);
  }
  expect(rows.filter(({ fault }) => fault !== undefined)).toEqual([]);
  expect(rows).toHaveLength(PLAN.length);
});
