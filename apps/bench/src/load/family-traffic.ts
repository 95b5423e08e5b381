import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection, type HttpRequest, type HttpResponse } from './http-connection.js';
import { pathOf } from './cloud-api.js';
import { sendPacedRequests } from './paced-requests.js';
import type { RegisteredFamily } from './registered-family.js';
import { PASSWORD } from './sign-up.js';
import { walkedPoint } from './walked-point.js';
import type { ServerEndpoint } from './websocket.js';

/** A measured request of a family member's phone or of a watch. */
export interface RequestMeasurement {
  name: string;
  /** Milliseconds from the time when the request was due to be sent until its response was complete. */
  latency: number;
  /** Status of the response, or the error of a request without a response. */
  result: number | string;
}

/** Time after which a phone abandons a request without a response. */
const REQUEST_TIMEOUT_MS = 10_000;
const CLOUD_PATH = '/app-api/mcdisk/wristwatch/familyCloud';
const USER_PATH = '/apis/v2/userctx/user';

/** Number of requests of each kind that one family sends per second. */
const REQUESTS_PER_SECOND = {
  screens: 5,
  settings: 1,
  watch: 1,
  newConnection: 1,
  album: 0.5,
  signIn: 0.2,
  upload: 0.2,
};
/** Name of the measurements of sign-ins on a known device. */
export const KNOWN_DEVICE_SIGN_IN = 'sign-in, known device';
const UPLOAD_BYTES = 20 * 1_024;

/** The requests that the phones and watches of families send while the families use the service. */
export class FamilyTraffic {
  private readonly measurements: RequestMeasurement[] = [];
  private shouldStop = false;

  constructor(
    private readonly endpoint: ServerEndpoint,
    private readonly families: readonly RegisteredFamily[],
  ) {}

  /** Sends requests at a fixed rate. @returns the requests with their results */
  async run(seconds: number): Promise<RequestMeasurement[]> {
    const clients = this.families.map((family) => this.clientsOf(family));
    const rates = Object.entries(REQUESTS_PER_SECOND) as [keyof typeof REQUESTS_PER_SECOND, number][];
    const finished = Promise.all(
      rates.map(([kind, rate]) =>
        sendPacedRequests(
          clients.map((each) => each[kind]),
          rate * clients.length,
          () => this.shouldStop,
        ),
      ),
    );
    await sleep(seconds * 1_000);
    this.shouldStop = true;
    await finished;
    return this.measurements;
  }

  private clientsOf(
    family: RegisteredFamily,
  ): Record<keyof typeof REQUESTS_PER_SECOND, (dueAt: number) => Promise<unknown>> {
    const { cid, owner, guardian, watch } = family;
    const screens = [
      ['children', `${USER_PATH}/child/get`],
      ['child', `${USER_PATH}/child/detail?cid=${cid}`],
      ['location', `${USER_PATH}/location/get?cid=${cid}`],
      ['conversations', '/apis/v2/message/conversation/list'],
      ['message centre', '/apis/v2/message/center/list'],
      ['families', `${USER_PATH}/family/list`],
    ].map(([name = '', path = '']) => ({ name, request: get(path, owner.token) }));
    const phone = new TrafficClient(this.endpoint, this.measurements);
    const otherPhone = new TrafficClient(this.endpoint, this.measurements);
    const watchClient = new TrafficClient(this.endpoint, this.measurements);
    let screen = 0;
    let steps = 0;
    return {
      screens: (dueAt) => {
        const { name, request } = screens[screen++ % screens.length] as (typeof screens)[number];
        return phone.send(name, request, dueAt);
      },
      settings: (dueAt) =>
        otherPhone.send(
          'profile update',
          post(`${USER_PATH}/account/profile/update`, guardian.token, { nickname: `Anna ${Math.round(dueAt)}` }),
          dueAt,
        ),
      watch: (dueAt) => {
        const points = [walkedPoint(++steps, Date.now())];
        return watchClient.send(
          'location report',
          post('/apis/v2/userctx/watch/location/report', watch.token, { points }),
          dueAt,
        );
      },
      newConnection: async (dueAt) => {
        const client = new TrafficClient(this.endpoint, this.measurements);
        await client.send('children, new connection', get(`${USER_PATH}/child/get`, guardian.token), dueAt);
        client.close();
      },
      album: (dueAt) => this.showAlbum(family, dueAt),
      signIn: (dueAt) => this.signIn(family, dueAt),
      upload: (dueAt) => this.upload(family, dueAt),
    };
  }

  /** Opens a page of the album and loads its thumbnails, over a new connection. */
  private async showAlbum({ cloudID, guardian }: RegisteredFamily, dueAt: number): Promise<void> {
    const client = new TrafficClient(this.endpoint, this.measurements);
    const page = await client.send(
      'album page',
      post(`${CLOUD_PATH}/queryContentList`, guardian.token, { cloudID }),
      dueAt,
    );
    if (page?.status === 200) {
      const { data } = JSON.parse(page.body.toString()) as { data: { cloudContentList: { thumbnailURL: string }[] } };
      // The files that `upload` adds have no thumbnail.
      for (const { thumbnailURL } of data.cloudContentList.filter((content) => content.thumbnailURL !== ''))
        await client.send('thumbnail', { method: 'GET', path: pathOf(thumbnailURL) }, performance.now());
    }
    client.close();
  }

  /** Signs the owner in with the password, over a new connection, on the device that signed up. */
  private async signIn({ phoneNumber, deviceToken }: RegisteredFamily, dueAt: number): Promise<void> {
    const client = new TrafficClient(this.endpoint, this.measurements);
    const body = { areaCode: '+86', phoneNumber, password: PASSWORD, deviceToken };
    await client.send(KNOWN_DEVICE_SIGN_IN, post(`${USER_PATH}/account/sign-in`, undefined, body), dueAt);
    client.close();
  }

  /** Uploads a small file, over a new connection. */
  private async upload({ cloudID, guardian }: RegisteredFamily, dueAt: number): Promise<void> {
    const client = new TrafficClient(this.endpoint, this.measurements);
    const uploadContentList = [{ contentName: `file-${Math.round(dueAt)}.bin`, contentSize: UPLOAD_BYTES }];
    const request = post(`${CLOUD_PATH}/getFileUploadURL`, guardian.token, { cloudID, uploadContentList });
    const session = await client.send('upload URL', request, dueAt);
    if (session?.status === 200) {
      const { data } = JSON.parse(session.body.toString()) as UploadSession;
      const path = pathOf(data.uploadResult.newContentIDList[0]?.uploadURL ?? '');
      const headers = { 'content-type': 'application/octet-stream' };
      const body = randomBytes(UPLOAD_BYTES);
      await client.send('upload', { method: 'PUT', path, headers, body }, performance.now());
    }
    client.close();
  }
}

interface UploadSession {
  data: { uploadResult: { newContentIDList: { uploadURL: string }[] } };
}

/** One connection of a phone or watch, which is opened again when it was lost. */
export class TrafficClient {
  private connection: HttpConnection | undefined;

  constructor(
    private readonly endpoint: ServerEndpoint,
    private readonly measurements: RequestMeasurement[],
  ) {}

  /** Sends a request and records its result. @returns the response, if there was one */
  async send(name: string, request: HttpRequest, dueAt: number): Promise<HttpResponse | undefined> {
    try {
      const response = await this.exchange(request);
      this.measurements.push({ name, latency: performance.now() - dueAt, result: response.status });
      return response;
    } catch (error) {
      this.close();
      const result = error instanceof Error ? error.message : String(error);
      this.measurements.push({ name, latency: performance.now() - dueAt, result });
      return undefined;
    }
  }

  close(): void {
    this.connection?.close();
    this.connection = undefined;
  }

  private async exchange(request: HttpRequest): Promise<HttpResponse> {
    const abandoned = new AbortController();
    const timeout = sleep(REQUEST_TIMEOUT_MS, undefined, { signal: abandoned.signal }).then(() => {
      throw new Error(`No response within ${REQUEST_TIMEOUT_MS} ms`);
    });
    try {
      return await Promise.race([this.sendOverConnection(request), timeout]);
    } finally {
      abandoned.abort();
      timeout.catch(() => undefined);
    }
  }

  private async sendOverConnection(request: HttpRequest): Promise<HttpResponse> {
    this.connection ??= await HttpConnection.open(this.endpoint);
    return this.connection.send(request, true);
  }
}

function get(path: string, token: string): HttpRequest {
  return { method: 'GET', path, headers: { authorization: `Bearer ${token}` } };
}

export function post(path: string, token: string | undefined, body: object): HttpRequest {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { ...authorization, 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body: Buffer.from(JSON.stringify(body)) };
}
