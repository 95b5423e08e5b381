import { randomBytes, randomInt } from 'node:crypto';
import { createRestClient } from '@family-watch/client/rest/rest-client';
import type { RestClient } from '@family-watch/client/rest/rest-client';
import { contentOf, dataOf } from '@family-watch/client/rest/result';
import { GatewayClient } from '@family-watch/client/socket/gateway-client';
import { userSession } from '@family-watch/client/tokens/user-session';
import type { TokenSource } from '@family-watch/client/tokens/token-source';
import type { Schema } from '@family-watch/client/rest/schemas';
import type { ContactsChangePayload, LocationChangePayload } from '@family-watch/domain/messages/contracts/payloads';
import type { Narrator } from './narrator.js';
import { patiently, within } from './patience.js';
import { readSmsCode } from './sms-codes.js';

const AREA_CODE = '+86';
/** Milliseconds between two positions that are worth a line. */
const POSITION_LINE_MS = 1_000;
const PAGE = 200;

export type StoredPoint = Schema<'StoredPointDto'>;

/** Who signed up, so that a person can sign in and look at the family. */
export interface Credentials {
  areaCode: string;
  phoneNumber: string;
  password: string;
}

/** A parent with an account, a session and a socket. */
export class Parent {
  readonly contactChanges: ContactsChangePayload[] = [];
  readonly positions: LocationChangePayload[] = [];
  private reconnections = 0;
  private positionLineAt = 0;

  private constructor(
    readonly credentials: Credentials,
    readonly api: RestClient,
    private readonly gateway: GatewayClient,
    private readonly narrator: Narrator,
  ) {
    gateway.onMessage('message', ({ kind }) => {
      if (kind !== 'LocationPointChangeMessage') narrator.say('parent', `receives ${kind}`);
    });
    gateway.onMessage('LocationPointChangeMessage', ({ payload }) => {
      this.positions.push(payload);
      this.tellPosition(payload);
    });
    gateway.onMessage('ContactsChangeNoticeMessage', ({ payload }) => this.contactChanges.push(payload));
    gateway.on('lost', (reason) => {
      this.reconnections += 1;
      narrator.say('parent', `lost the connection (${reason}) and will come back`);
    });
  }

  /** Makes an account with the code from the SMS file, and connects. */
  static async signUp(url: string, smsFile: string, narrator: Narrator): Promise<Parent> {
    const anonymous = createRestClient({ url });
    const phoneNumber = `139${String(randomInt(100_000_000)).padStart(8, '0')}`;
    const password = randomBytes(12).toString('base64url');
    const request = { areaCode: AREA_CODE, phoneNumber, scene: 'SIGN_UP' } as const;
    const { challengeId } = await dataOf(
      anonymous.POST('/apis/v2/userctx/user/account/sms-code/send', { body: request }),
    );
    const code = await readSmsCode(smsFile, phoneNumber, request.scene);
    const body = { challengeId, code, password, nickname: 'Anna' };
    const session = await dataOf(anonymous.POST('/apis/v2/userctx/user/account/sign-up', { body }));
    narrator.say('parent', `signed up with ${AREA_CODE} ${phoneNumber}`);
    const tokens: TokenSource = userSession(anonymous, session);
    const gateway = new GatewayClient({ url, tokens });
    const credentials = { areaCode: AREA_CODE, phoneNumber, password };
    const parent = new Parent(credentials, createRestClient({ url, tokens }), gateway, narrator);
    gateway.start();
    await within('the gateway', gateway.ready());
    return parent;
  }

  get timesReconnected(): number {
    return this.reconnections;
  }

  /** @returns the child's `cid` */
  async addChild(): Promise<string> {
    const body = {
      name: 'Mia',
      phoneNumber: '13812345678',
      areaCode: AREA_CODE,
      appellation: 'Mimi',
      gender: 3,
      weight: 120,
      height: 125,
    } as const;
    const { cid } = await dataOf(this.api.POST('/apis/v2/userctx/user/child/create', { body }));
    this.narrator.say('parent', 'added the child Mia');
    return cid;
  }

  async bind(cid: string, shown: { bindCode: string; confirmCode: string }): Promise<number> {
    const body = { ...shown, cid, appellation: 'Mama', identityType: 2 } as const;
    const { did } = await dataOf(this.api.POST('/apis/v2/userctx/user/device/bind', { body }));
    this.narrator.say('parent', `bound watch ${did} to Mia`);
    return did;
  }

  /** @returns the contact's `refId` */
  async addGrandmother(deviceId: number): Promise<string> {
    const body = { deviceId, name: 'Li', phoneNumber: '13712345678', areaCode: AREA_CODE, identityType: 4 } as const;
    const { refId } = await dataOf(this.api.POST('/apis/v2/userctx/user/device/contacts/create', { body }));
    this.narrator.say('parent', 'added a grandmother to the contacts');
    return refId;
  }

  async renameContact(deviceId: number, refId: string, appellation: string): Promise<void> {
    const body = { deviceId, refId, appellation };
    const address = '/hmd-wx/api/v2/userctx/user/device/contacts/update';
    await patiently(() => contentOf(this.api.POST(address, { body })));
    this.narrator.say('parent', `renamed a contact to ${appellation}`);
  }

  /** Sets an alarm for the watch. */
  async setAlarm(did: number): Promise<void> {
    const body = { did, hour: 7, minute: 30, repeat: 'DAILY', label: 'Good morning' } as const;
    await dataOf(this.api.POST('/apis/v2/userctx/user/device/alarm-clock/create', { body }));
    this.narrator.say('parent', 'set an alarm for 7:30');
  }

  /** The alarms of the watch, and what it made of them. */
  alarms(did: number): Promise<Schema<'AlarmClocksDto'>> {
    const params = { query: { did } };
    return dataOf(this.api.GET('/apis/v2/userctx/user/device/alarm-clock/get', { params }));
  }

  /** All stored points of a child in a period, page by page. Times in Unix milliseconds, `to` exclusive. */
  async track(cid: string, from: number, to: number): Promise<StoredPoint[]> {
    const points: StoredPoint[] = [];
    let cursor: string | null = null;
    do {
      const query = { cid, from, to, limit: PAGE, ...(cursor === null ? {} : { cursor }) };
      const page: Schema<'TrackDto'> = await patiently(() =>
        dataOf(this.api.GET('/apis/v2/userctx/user/location/track', { params: { query } })),
      );
      points.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return points;
  }

  async child(cid: string): Promise<Schema<'ChildDto'> | undefined> {
    const { childList } = await patiently(() => dataOf(this.api.GET('/apis/v2/userctx/user/child/get')));
    return childList.find((child) => child.cid === cid);
  }

  leave(): void {
    this.gateway.stop();
  }

  private tellPosition({ location }: LocationChangePayload): void {
    if (Date.now() - this.positionLineAt < POSITION_LINE_MS) return;
    this.positionLineAt = Date.now();
    const time = new Date(location.positionTime).toISOString().slice(11, 19);
    this.narrator.say('parent', `sees Mia at ${location.latitude}, ${location.longitude} (${time} UTC)`);
  }
}
