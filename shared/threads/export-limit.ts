/**
 * A function's response is limited to 6 MB ("Lambda quotas"), and the platform's envelope escapes the body once more.
 */
export const EXPORT_BYTES = 4 * 1024 * 1024;

export const EXPORT_TOO_LARGE = "Export is larger than 4 MB; list the patient's threads and their messages instead";
