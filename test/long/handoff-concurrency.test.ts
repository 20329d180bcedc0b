import { testHandoffs } from "../helpers/database/handoffs.ts";

testHandoffs(Number(process.env.HANDOFF_STEPS ?? 5_000), Date.now());
