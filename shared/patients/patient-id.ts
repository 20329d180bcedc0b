const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a string has the format of a patient id. Ensures that phone locks, which are in the same table, cannot be read. */
export function isPatientId(id: string): boolean {
  return UUID.test(id);
}
