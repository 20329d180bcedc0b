/** The key of the only client of the services that tests start. */
export const API_KEY = "key-of-the-test-client";
