import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { tokenSigningPayload, type Challenge } from '@family-watch/domain/watches/contracts/watch';
import { loopbackAddress } from '@family-watch/testing/clients/loopback-address';
import { post, TrafficClient, type RequestMeasurement } from './family-traffic.js';
import type { HttpRequest, HttpResponse } from './http-connection.js';
import { sendPacedRequests } from './paced-requests.js';
import type { RegisteredFamily } from './registered-family.js';
import { PASSWORD } from './sign-up.js';
import { PushEndpoints, registerEndpoint } from './web-push.js';
import type { ServerEndpoint } from './websocket.js';

/** What is measured of families that have nothing to do with an attack. */
export const MEASURED_KINDS = [
  'sign-in',
  'refresh',
  'watch sign-in',
  'SMS code',
  'SOS raise',
  'push of an SOS',
] as const;
export type MeasuredKind = (typeof MEASURED_KINDS)[number];

/** Measured requests of each kind per second, of all families together. */
const REQUESTS_PER_SECOND = 2;
/** Time after which a person no longer waits for the push of an SOS. */
const PUSH_TIMEOUT_MS = 10_000;
const PUSH_POLL_MS = 5;
const MAX_RESOLVE_ATTEMPTS = 5;
const ACCOUNT_PATH = '/apis/v2/userctx/user/account';
const WATCH_PATH = '/apis/v2/userctx/watch';

interface OtherFamily extends RegisteredFamily {
  /** Refresh token of a session that is only refreshed. */
  refreshToken: string;
  pushPath: string;
}

/** Families that sign in, refresh their sessions, request codes and call for help, each from its own addresses. */
export class OtherFamilies {
  private measurements: RequestMeasurement[] = [];

  private constructor(
    private readonly endpoint: ServerEndpoint,
    private readonly push: PushEndpoints,
    private readonly families: readonly OtherFamily[],
  ) {}

  /** Registers a push endpoint that responds, and a session that is refreshed, for each family. */
  static async create(endpoint: ServerEndpoint, families: readonly RegisteredFamily[]): Promise<OtherFamilies> {
    const push = await PushEndpoints.start();
    const prepared = families.map((family) => ({ ...family, refreshToken: '', pushPath: `/push/${family.cid}` }));
    const others = new OtherFamilies(endpoint, push, prepared);
    for (const family of prepared) {
      await others.renewSession(family);
      const registered = await others.call(registerEndpoint(family.owner.token, push.urlOf(family.pushPath)));
      if (!registered || family.refreshToken === '') throw new Error('A family is not prepared');
    }
    return others;
  }

  /** Sends requests of all kinds for `seconds`. @returns the requests with their results, without those before */
  async measure(seconds: number): Promise<RequestMeasurement[]> {
    this.measurements = [];
    const end = performance.now() + seconds * 1_000;
    const kinds: ((family: OtherFamily, dueAt: number) => Promise<unknown>)[] = [
      (family, dueAt) => this.signIn(family, dueAt),
      (family, dueAt) => this.refresh(family, dueAt),
      (family, dueAt) => this.signInWatch(family, dueAt),
      (family, dueAt) => this.requestCode(family, dueAt),
      (family, dueAt) => this.raiseSos(family, dueAt),
    ];
    await Promise.all(
      kinds.map((send) =>
        sendPacedRequests(
          this.families.map((family) => (dueAt: number) => send(family, dueAt)),
          REQUESTS_PER_SECOND,
          () => performance.now() > end,
        ),
      ),
    );
    return this.measurements;
  }

  close(): Promise<void> {
    return this.push.close();
  }

  private signIn({ phoneNumber, deviceToken }: OtherFamily, dueAt: number): Promise<HttpResponse | undefined> {
    const body = { areaCode: '+86', phoneNumber, password: PASSWORD, deviceToken };
    return this.send('sign-in', post(`${ACCOUNT_PATH}/sign-in`, undefined, body), dueAt);
  }

  private async refresh(family: OtherFamily, dueAt: number): Promise<void> {
    const { refreshToken } = family;
    const request = post(`${ACCOUNT_PATH}/token/refresh`, undefined, { refreshToken });
    const response = await this.send('refresh', request, dueAt);
    if (response?.status === 200) family.refreshToken = refreshTokenIn(response);
    // The response to an earlier refresh was lost for so long that the service has ended the session.
    else if (response?.status === 401) await this.renewSession(family);
  }

  private async signInWatch({ did, watchKey }: OtherFamily, dueAt: number): Promise<void> {
    const kind = 'watch sign-in';
    const challenge = await this.call(post(`${WATCH_PATH}/token/challenge`, undefined, { did }), (failure) =>
      this.measurements.push({ ...failure, name: kind, latency: performance.now() - dueAt }),
    );
    if (!challenge) return;
    const { nonce, ...more } = JSON.parse(challenge.body.toString()) as Challenge;
    const signature = await watchKey.sign(tokenSigningPayload({ nonce, ...more }, did));
    await this.send(kind, post(`${WATCH_PATH}/token/create`, undefined, { did, nonce, signature }), dueAt);
  }

  /** Requests a code for a phone number that has no account yet. */
  private requestCode(_family: OtherFamily, dueAt: number): Promise<HttpResponse | undefined> {
    const phoneNumber = `177${String(randomInt(10 ** 8)).padStart(8, '0')}`;
    const body = { areaCode: '+86', phoneNumber, scene: 'SIGN_UP' };
    return this.send('SMS code', post(`${ACCOUNT_PATH}/sms-code/send`, undefined, body), dueAt);
  }

  /** Raises an SOS, waits for the push to the owner, and resolves the SOS, so that the next one is a new one. */
  private async raiseSos({ cid, owner, watch, pushPath }: OtherFamily, dueAt: number): Promise<void> {
    const sentAt = performance.now();
    const response = await this.send('SOS raise', post(`${WATCH_PATH}/sos/raise`, watch.token, {}), dueAt);
    if (response?.status !== 200) return;
    const arrivedAt = await this.waitForPush(pushPath, sentAt);
    this.measurements.push({
      name: 'push of an SOS',
      latency: (arrivedAt ?? performance.now()) - dueAt,
      result: arrivedAt === undefined ? 'no push' : 200,
    });
    const { sosId } = JSON.parse(response.body.toString()) as { sosId: string };
    const request = post('/apis/v2/userctx/user/sos/resolve', owner.token, { cid, sosId });
    for (let attempts = 0; attempts < MAX_RESOLVE_ATTEMPTS && !(await this.call(request)); attempts += 1);
  }

  /** Returns when the first push after `sentAt` arrived; undefined if none arrives. */
  private async waitForPush(path: string, sentAt: number): Promise<number | undefined> {
    const end = performance.now() + PUSH_TIMEOUT_MS;
    while (performance.now() < end) {
      const arrivedAt = this.push.lastUrgentAt.get(path) ?? 0;
      if (arrivedAt > sentAt) return arrivedAt;
      await sleep(PUSH_POLL_MS);
    }
    return undefined;
  }

  private async renewSession(family: OtherFamily): Promise<void> {
    const { phoneNumber, deviceToken } = family;
    const body = { areaCode: '+86', phoneNumber, password: PASSWORD, deviceToken };
    const response = await this.call(post(`${ACCOUNT_PATH}/sign-in`, undefined, body));
    if (response) family.refreshToken = refreshTokenIn(response);
  }

  private async send(name: MeasuredKind, request: HttpRequest, dueAt: number): Promise<HttpResponse | undefined> {
    const client = this.openClient(this.measurements);
    const response = await client.send(name, request, dueAt);
    client.close();
    return response;
  }

  /** Sends a request that is not measured. @returns the response if it is a success */
  private async call(
    request: HttpRequest,
    onFailure: (failure: RequestMeasurement) => void = () => undefined,
  ): Promise<HttpResponse | undefined> {
    const results: RequestMeasurement[] = [];
    const client = this.openClient(results);
    const response = await client.send(request.path, request, performance.now());
    client.close();
    if (response?.status === 200) return response;
    results.forEach(onFailure);
    return undefined;
  }

  private openClient(measurements: RequestMeasurement[]): TrafficClient {
    return new TrafficClient({ ...this.endpoint, localAddress: loopbackAddress() }, measurements);
  }
}

function refreshTokenIn({ body }: HttpResponse): string {
  return (JSON.parse(body.toString()) as { refreshToken: string }).refreshToken;
}
