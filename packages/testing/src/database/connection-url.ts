const POSTGRES_URL = /^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?([^/?]*)(?:\/[^?]*)?(\?.*)?$/;

/**
 * Replaces role and database in a connection URL. URLs of Unix sockets (`postgres://role@/db?host=/directory`) have an
 * empty host, which `URL` does not accept.
 *
 * @throws Error if `url` is not a postgres:// URL
 */
export function withRoleAndDatabase(url: string, role: { name: string; password: string }, database: string): string {
  const parts = POSTGRES_URL.exec(url);
  if (!parts) throw new Error('Not a postgres:// URL');
  const [, scheme = '', host = '', query = ''] = parts;
  return `${scheme}${encodeURIComponent(role.name)}:${encodeURIComponent(role.password)}@${host}/${database}${query}`;
}

/** Replaces the database in a connection URL. */
export function withDatabase(url: string, database: string): string {
  const parts = /^([^?]*\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/.exec(url);
  if (!parts) throw new Error('Not a postgres:// URL');
  return `${parts[1] ?? ''}/${database}${parts[2] ?? ''}`;
}
