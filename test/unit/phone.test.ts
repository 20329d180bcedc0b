import { expect, test } from "@jest/globals";
import { normalizePhone } from "../../shared/patients/phone.ts";

test("x", () => {
  expect(normalizePhone("5551234567")).toBe("15551234567");
  expect(process.env.TEST_CLOUD_ASSEMBLY).toContain("cdk.out");
});
