import { testHandoffs } from "../helpers/database/handoffs.ts";

testHandoffs(400, 20_261_123);
