const POSTGRES_URL = /^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?([^/?]*)(?:\/[^?]*)?(\?.*)?$/;

/**
 * The same server with another role and database. Urls of Unix sockets (`postgres://role@/db?host=/folder`) have an
 * empty host, which `URL` does not accept.
 *
 * @throws Error when `url` is not a postgres url
 */
export function withRoleAndDatabase(url: string, role: { name: string; password: string }, database: string): string {
  const parts = POSTGRES_URL.exec(url);
  if (!parts) throw new Error('Not a postgres:// url');
  const [, scheme = '', host = '', query = ''] = parts;
  return `${scheme}${encodeURIComponent(role.name)}:${encodeURIComponent(role.password)}@${host}/${database}${query}`;
}

/** The same role on the same server, another database. */
export function withDatabase(url: string, database: string): string {
  const parts = /^([^?]*\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/.exec(url);
  if (!parts) throw new Error('Not a postgres:// url');
  return `${parts[1] ?? ''}/${database}${parts[2] ?? ''}`;
}
