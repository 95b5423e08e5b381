import Fastify from 'fastify';
import { createRemoteJWKSet } from 'jose';
import { Pool } from 'pg';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';

/**
 * Minimal implementation of GetChild with Fastify, one named statement, and the same token check as userctx.
 * Environment: `JWKS_URL`, `DATABASE_URL`, `PORT`, `STATEMENT` (SQL with $1 user id and $2 time).
 */
const { JWKS_URL = '', DATABASE_URL, PORT, STATEMENT = '' } = process.env;
const noRevocations = {
  isFresh: true,
  isRevoked: () => false,
  onRevoked: () => () => undefined,
  onFreshnessChange: () => () => undefined,
};
const authenticator = new Authenticator(new TokenVerifier(createRemoteJWKSet(new URL(JWKS_URL))), noRevocations);
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
