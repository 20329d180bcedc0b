import { testHandoffs } from "../helpers/database/handoffs.ts";

testHandoffs(5_000, Date.now());
