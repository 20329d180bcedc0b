import { test } from "@jest/globals";
import { expectToReceive, receiverOfGuide } from "../helpers/service/guide-receiver.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

test("the guide's receiver in Node verifies an event, and refuses a message that the service has not signed", () =>
  expectToReceive(service, process.execPath, ["--input-type=module", "--eval", receiverOfGuide("js")]));
