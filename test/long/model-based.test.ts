import { testAgainstModel } from "../model-based/clients.ts";

testAgainstModel(4_000, 20_261_122);
