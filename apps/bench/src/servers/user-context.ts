import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey } from 'jose';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { sealEnvelope } from '@family-watch/event-bus/envelope';
import { openNatsMessaging } from '@family-watch/event-bus/messaging';
import type { Messaging } from '@family-watch/event-bus/messaging';
import { partitionOf } from '@family-watch/event-bus/partition';
import { ACCESS_TOKEN } from '@family-watch/platform/auth/token-verifier';
import { freePort } from './free-port.js';

const KEY_ID = 'bench';
/** Seconds: longer than any run, because renewing tokens is not what is measured. */
const TOKEN_LIFETIME = 12 * 3_600;
const EVENTS_AT_ONCE = 50;

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Plays userctx to the gateway: signs tokens, says that nothing is revoked, and tells of families over the bus. */
export class UserContext {
  private constructor(
    readonly jwksUrl: string,
    private readonly privateKey: CryptoKey,
    private readonly server: Server,
    private readonly messaging: Messaging,
    private readonly closeRevocations: () => Promise<void>,
  ) {}

  static async start(natsUrl: string, prefix: string): Promise<UserContext> {
    const { privateKey, publicKey } = await generateKeyPair(ACCESS_TOKEN.algorithm);
    const jwk = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: ACCESS_TOKEN.algorithm, use: 'sig' };
    const body = JSON.stringify({ keys: [jwk] });
    const server = createServer((_, response) => {
      response.setHeader('Content-Type', 'application/json').end(body);
    });
    const port = await freePort();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const messaging = await openNatsMessaging({ url: natsUrl, prefix, name: 'bench', logger: silent });
    const revocations = await messaging.openRevocationSide();
    await revocations.start({ listSince: () => Promise.resolve([]) });
    const jwksUrl = `http://127.0.0.1:${port}/.well-known/jwks.json`;
    return new UserContext(jwksUrl, privateKey, server, messaging, () => revocations.close());
  }

  /** An access token as userctx signs it, but one that outlives the run. */
  tokenOf({ type, id, sessionId }: Principal): Promise<string> {
    const now = Date.now();
    return new SignJWT({ sid: sessionId, iat_ms: now })
      .setProtectedHeader({ alg: ACCESS_TOKEN.algorithm, typ: ACCESS_TOKEN.type, kid: KEY_ID })
      .setIssuer(ACCESS_TOKEN.issuer)
      .setAudience(ACCESS_TOKEN.audience)
      .setSubject(`${type}:${id}`)
      .setIssuedAt(Math.floor(now / 1_000))
      .setExpirationTime(Math.floor(now / 1_000) + TOKEN_LIFETIME)
      .sign(this.privateKey);
  }

  /** Tells the gateway of families, as userctx's relay would. */
  async tellOf(families: readonly FamilySnapshot[]): Promise<void> {
    const byPartition = Map.groupBy(families, ({ familyId }) => partitionOf(familyId));
    for (const [partition, group] of byPartition) {
      for (let start = 0; start < group.length; start += EVENTS_AT_ONCE) {
        const events = group.slice(start, start + EVENTS_AT_ONCE).map(familyChanged);
        await this.messaging.bus.publish(sealEnvelope('userctx', partition, events));
      }
    }
  }

  async stop(): Promise<void> {
    await this.closeRevocations();
    await this.messaging.close();
    this.server.closeAllConnections();
    this.server.close();
  }
}

function familyChanged(snapshot: FamilySnapshot): DomainEvent {
  const { familyId } = snapshot;
  return { id: randomUUID(), name: 'userctx.family.changed', key: familyId, time: Date.now(), payload: snapshot };
}
