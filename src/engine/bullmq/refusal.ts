/** How Redis begins to say that it does not do what it was asked for: it has no memory, is read-only, cannot write its file, is still loading, or lacks its replicas. */
const ofRedis = /^(?:OOM|READONLY|MISCONF|LOADING|MASTERDOWN|NOREPLICAS|NOAUTH) /;

/** The codes of PostgreSQL for the same: its resources are at an end, or it is read-only. */
const ofPostgresql = /^(?:53...|25006)$/;

/** Whether an error says that the server of the queues has refused something, so that it is not done. After any other error it may be. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return ofRedis.test(error.message) || ofPostgresql.test(code);
}
