/**
 * The texts of the specification's 404s (Errors). They are written here once more, because the live check verifies a
 * service from outside.
 */
export const NO_THREAD = "Thread not found or expired";
export const NO_PATIENT = "Patient not found";
export const UNKNOWN_PATIENT = "Patient not found with the provided ID";
