import { test } from "@jest/globals";
import { installFromPyPi } from "../../tools/pypi.ts";
import { expectToReceive, receiverOfGuide } from "../helpers/service/guide-receiver.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService({});

test("the guide's receiver in Python verifies an event, or its package cannot be installed here", async () => {
  const installed = await installFromPyPi("standardwebhooks==1.1.0", "python");
  if ("missing" in installed) {
    process.stderr.write(`Skipped: ${installed.missing}.\n`);
    return;
  }
  await expectToReceive(service, installed.program, ["-c", receiverOfGuide("python")]);
}, 600_000);
