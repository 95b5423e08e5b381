import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ACCESS_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import { freePort } from '@family-watch/testing/network/free-ports';

const KEY_ID = 'bench';
/** Lifetime longer than any run, so that no token is renewed during a measurement. */
const TOKEN_TTL_SECONDS = 12 * 3_600;

/** Signs access tokens as userctx does and serves the public key, so that no password has to be hashed per client. */
export class TokenIssuer {
  private constructor(
    readonly jwksUrl: string,
    private readonly privateKey: CryptoKey,
    private readonly server: Server,
  ) {}

  static async start(): Promise<TokenIssuer> {
    const { privateKey, publicKey } = await generateKeyPair(ACCESS_TOKEN_FORMAT.algorithm);
    const jwk = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: ACCESS_TOKEN_FORMAT.algorithm, use: 'sig' };
    const body = JSON.stringify({ keys: [jwk] });
    const server = createServer((_, response) => {
      response.setHeader('Content-Type', 'application/json').end(body);
    });
    const port = await freePort();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new TokenIssuer(`http://127.0.0.1:${port}/.well-known/jwks.json`, privateKey, server);
  }

  /** Issues an access token in userctx's format that is valid for the whole run. */
  issueToken({ type, id, sessionId }: Principal): Promise<string> {
    const now = Date.now();
    return new SignJWT({ sid: sessionId, iat_ms: now })
      .setProtectedHeader({ alg: ACCESS_TOKEN_FORMAT.algorithm, typ: ACCESS_TOKEN_FORMAT.type, kid: KEY_ID })
      .setIssuer(ACCESS_TOKEN_FORMAT.issuer)
      .setAudience(ACCESS_TOKEN_FORMAT.audience)
      .setSubject(`${type}:${id}`)
      .setIssuedAt(Math.floor(now / 1_000))
      .setExpirationTime(Math.floor(now / 1_000) + TOKEN_TTL_SECONDS)
      .sign(this.privateKey);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
