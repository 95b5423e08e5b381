import { generateKeyPairSync, randomInt, sign, type KeyObject } from 'node:crypto';
import {
  enrolmentSigningPayload,
  tokenSigningPayload,
  type Challenge,
} from '@family-watch/domain/watches/contracts/watch';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { expectOk, HttpClient } from './http-client.js';
import type { Parent } from './parent.js';

export const WATCH_PATH = '/apis/v2/userctx/watch/';

/** Returns a random IMEI with a valid check digit. */
function randomImei(): string {
  return imeiOf(`35${String(randomInt(10 ** 12)).padStart(12, '0')}`);
}

/** Returns the IMEI that begins with these 14 digits. */
export function imeiOf(body: string): string {
  const sum = [...body].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return body + String((10 - (sum % 10)) % 10);
}

/** A watch with a key pair, which signs nonces and creates a bind code while it is unbound. */
export class Watch extends HttpClient {
  readonly imei = randomImei();
  readonly publicKey: string;
  did = 0;
  private readonly key: KeyObject;
  private readonly sockets: TestClient[] = [];

  private constructor(url: string) {
    super(url);
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.publicKey = publicKey.export({ format: 'jwk' }).x ?? '';
    this.key = privateKey;
  }

  static async enrol(url: string): Promise<Watch> {
    const watch = new Watch(url);
    await watch.enrol();
    return watch;
  }

  /** Returns a watch with a new key that is not enrolled. */
  static create(url: string): Watch {
    return new Watch(url);
  }

  /** Enrols the key of this watch and requests a token. @param more - further fields of the request */
  async enrol(more: object = {}): Promise<void> {
    const request = { ...(await this.createEnrolmentRequest()), ...more };
    this.did = (await expectOk(this.post<{ did: number }>(`${WATCH_PATH}enrol`, request))).did;
    await this.renewToken();
  }

  static async enrolAndBind(owner: Parent, cid: string): Promise<Watch> {
    const watch = await Watch.enrol(owner.url);
    await expectOk(owner.post('device/bind', { ...(await watch.createBindCode()), cid }));
    return watch;
  }

  /** Returns an enrolment request with a new nonce. */
  async createEnrolmentRequest(): Promise<object> {
    const { imei, publicKey } = this;
    const challenge = await expectOk(this.post<Challenge>(`${WATCH_PATH}enrol/challenge`, { publicKey }));
    const proof = this.sign(enrolmentSigningPayload(challenge, imei));
    return { imei, publicKey, model: 'W7', firmwareVersion: '1.0.0', nonce: challenge.nonce, proof };
  }

  /** Returns a token request with a new nonce. */
  async createTokenRequest(): Promise<object> {
    const { did } = this;
    const challenge = await expectOk(this.post<Challenge>(`${WATCH_PATH}token/challenge`, { did }));
    return { did, nonce: challenge.nonce, signature: this.sign(tokenSigningPayload(challenge, did)) };
  }

  async renewToken(): Promise<void> {
    const answer = this.post<{ accessToken: string }>(`${WATCH_PATH}token/create`, await this.createTokenRequest());
    this.token = (await expectOk(answer)).accessToken;
  }

  /** Creates the bind code and the six digits that the watch displays. */
  async createBindCode(): Promise<{ bindCode: string; confirmCode: string }> {
    const { bindCode, confirmCode } = await expectOk(
      this.post<{ bindCode: string; confirmCode: string }>(`${WATCH_PATH}bind-code/create`, {}),
    );
    return { bindCode, confirmCode };
  }

  async connect(position: { last?: number } = {}): Promise<TestClient> {
    const client = new TestClient(this.url, { token: this.token, ...position }, this.address);
    this.sockets.push(client);
    await client.waitForHello();
    return client;
  }

  disconnectAll(): void {
    for (const socket of this.sockets) socket.close();
  }

  private sign(text: string): string {
    return sign(null, Buffer.from(text, 'utf8'), this.key).toString('base64url');
  }
}
