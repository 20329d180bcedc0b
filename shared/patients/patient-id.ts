const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a string has the form of a patient id. Other items of the table, phone locks, can never be asked for. */
export function isPatientId(id: string): boolean {
  return UUID.test(id);
}
