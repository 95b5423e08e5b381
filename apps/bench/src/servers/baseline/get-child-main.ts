import Fastify from 'fastify';
import { createRemoteJWKSet } from 'jose';
import { Pool } from 'pg';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';

/**
 * GetChild as one would write it without a framework: Fastify, one statement with a name, and the same check of the
 * token. `JWKS_URL`, `DATABASE_URL`, `PORT`, `STATEMENT` (the text with $1 user id, $2 time).
 */
const { JWKS_URL = '', DATABASE_URL, PORT, STATEMENT = '' } = process.env;
const nothingRevoked = {
  isFresh: true,
  isRevoked: () => false,
  onRevoked: () => () => undefined,
  onFreshness: () => () => undefined,
};
const authenticator = new Authenticator(new TokenVerifier(createRemoteJWKSet(new URL(JWKS_URL))), nothingRevoked);
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 });
const server = Fastify();

server.get('/child/get', async (request) => {
  const { id } = await authenticator.authenticate(request.headers.authorization);
  const values = [id, new Date().toISOString()];
  const { rows } = await pool.query<Record<string, unknown>>({ name: 'children', text: STATEMENT, values });
  return { childList: rows };
});

await server.listen({ host: '127.0.0.1', port: Number(PORT) });
process.stdout.write('bare GetChild is ready\n');
