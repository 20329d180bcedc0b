import { getCACertificates, setDefaultCACertificates } from "node:tls";

/** A certificate for 127.0.0.1 with its key, made for these tests alone: nothing outside of a test trusts it. */
export const LOOPBACK_TLS = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbQ/2skAmh44Wqzu2
ONjh/GpiGEL6nm5SVMa/bd4KbjahRANCAATbPQqUGZjT74IVlpD8cuA8NfaWZGhE
8maGKp5vxJQiiZcj8swwbDzV1/7SeSnV+O4kXGUb9delmBxuv4s1914y
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBjzCCATagAwIBAgIUW0IVBJxSeRk8chvZ6fuEI0aj1QowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyNjA1NDYxOVoYDzIxMjYxMTAy
MDU0NjE5WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATbPQqUGZjT74IVlpD8cuA8NfaWZGhE8maGKp5vxJQiiZcj8swwbDzV
1/7SeSnV+O4kXGUb9delmBxuv4s1914yo2QwYjAdBgNVHQ4EFgQUCG7L5Z5693t3
m5r/p4+GatlBMKAwHwYDVR0jBBgwFoAUCG7L5Z5693t3m5r/p4+GatlBMKAwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQC
IG7aeKXc//qHW8F3RHpvY7xG70DccUrUGda6tZ71f5zFAiAejP+N8ih4Lb/j4qlL
/ttYN6h9hK4cuP3CU6LUB31zog==
-----END CERTIFICATE-----
`,
};

/** Lets this process trust the certificate. */
export function trustLoopback(): void {
  setDefaultCACertificates([...getCACertificates(), LOOPBACK_TLS.cert]);
}
