import { createDecipheriv, createECDH, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK, jwtVerify } from 'jose';
import type { PushContent } from '@family-watch/domain/messages/contracts/subscription';

/** Settings of a gateway that sends push messages to this service. */
export const PUSH_SETTINGS = {
  SECRET_KEY: 'only for tests, only for tests, only',
  PUSH_ALLOW_INSECURE_ENDPOINTS: 'yes',
} as const;

/** A push message that the service has received. */
export interface ReceivedPush {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Local push service (RFC 8030) that records the requests it receives and responds with configured statuses. */
export class LocalPushService {
  readonly receivedPushes: ReceivedPush[] = [];
  /** Response status by path; default 201. */
  readonly statusByPath = new Map<string, number>();
  /** Paths of requests that are accepted and never answered. */
  readonly silentPaths = new Set<string>();
  /** Paths of requests that were given up by the client while they were not answered. */
  readonly abandonedPaths: string[] = [];
  /** Paths of requests whose connection is closed without an answer. */
  readonly closedPaths = new Set<string>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<LocalPushService> {
    const server = createServer();
    const service = new LocalPushService(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '';
        service.receivedPushes.push({ path, headers: request.headers, body: Buffer.concat(chunks) });
        if (service.closedPaths.has(path)) return request.socket.destroy();
        if (service.silentPaths.has(path)) return response.on('close', () => service.abandonedPaths.push(path));
        return response.writeHead(service.statusByPath.get(path) ?? 201).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns the pushes to this subscriber. */
  pushesTo(browser: PushSubscriber): ReceivedPush[] {
    return this.receivedPushes.filter(({ path }) => path === browser.path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A browser's push subscription with the keys that decrypt its messages (RFC 8291). */
export class PushSubscriber {
  readonly path = `/send/${randomUUID()}`;
  private readonly ecdh = createECDH('prime256v1');
  private readonly secret = randomBytes(16);
  private readonly publicKey: Buffer;

  constructor(private readonly origin: string) {
    this.publicKey = this.ecdh.generateKeys();
  }

  get endpoint(): string {
    return this.origin + this.path;
  }

  get keys(): { p256dh: string; auth: string } {
    return { p256dh: this.publicKey.toString('base64url'), auth: this.secret.toString('base64url') };
  }

  /**
   * Returns the decrypted content of a push, as a browser passes it to its service worker.
   * @throws Error when the push was not encrypted for this subscription
   */
  decryptPush({ body }: ReceivedPush): PushContent {
    return JSON.parse(this.decrypt(body).toString()) as PushContent;
  }

  /** Decrypts one RFC 8188 record with the key of RFC 8291, 3.4. */
  private decrypt(body: Buffer): Buffer {
    const salt = body.subarray(0, 16);
    const senderKey = body.subarray(21, 21 + body.readUInt8(20));
    const sealed = body.subarray(21 + senderKey.length);
    const shared = this.ecdh.computeSecret(senderKey);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.publicKey, senderKey]);
    const material = deriveKey(shared, this.secret, info, 32);
    const key = deriveKey(material, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
    const nonce = deriveKey(material, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce);
    decipher.setAuthTag(sealed.subarray(-16));
    const record = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    const end = record.lastIndexOf(2);
    if (end < 0) throw new Error('The last record has no delimiter');
    return record.subarray(0, end);
  }
}

/** Verifies the VAPID token of the sender as a push service does (RFC 8292); resolves with the claims of the token. */
export async function verifyVapid({ headers }: ReceivedPush, origin: string, publicKey: string) {
  const [, token = '', key] = /^vapid t=([^,]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  if (key !== publicKey) throw new Error('The VAPID key is not the key of the subscription');
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const jwk = await importJWK({ kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, 'ES256');
  return (await jwtVerify(token, jwk, { audience: origin, algorithms: ['ES256'], requiredClaims: ['exp', 'sub'] }))
    .payload;
}

function deriveKey(material: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', material, salt, info, bytes));
}
