import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createRestClient } from '@family-watch/client/rest/rest-client';
import type { RestClient } from '@family-watch/client/rest/rest-client';
import { responseData } from '@family-watch/client/rest/response-data';
import { GatewayClient } from '@family-watch/client/socket/gateway-client';
import { userSession } from '@family-watch/client/tokens/user-session';
import { IncomingMessages } from '../incoming-messages.js';
import type { Narrator } from '../narrator.js';
import { retryUntilAvailable, withTimeout } from '../retry.js';
import { countSmsAlerts, readSmsCode } from '../server/sms-file.js';
import { CenterMessageLog } from './center-message-log.js';

const AREA_CODE = '+86';

/** Who signed up, so that a person can sign in and look at the family. */
export interface Credentials {
  areaCode: string;
  phoneNumber: string;
  password: string;
}

/** A grown-up with an account, a session and a socket. */
export class Person {
  readonly arrivals: IncomingMessages;
  readonly news: CenterMessageLog;
  private reconnections = 0;

  private constructor(
    /** By which the story calls this person. */
    readonly name: string,
    readonly userId: string,
    readonly credentials: Credentials,
    readonly api: RestClient,
    private readonly gateway: GatewayClient,
    private readonly smsFile: string,
    private readonly narrator: Narrator,
  ) {
    this.arrivals = new IncomingMessages(gateway);
    this.news = new CenterMessageLog(api, gateway);
    gateway.on('disconnected', (reason) => {
      this.reconnections += 1;
      this.log(`lost the connection (${reason}) and will come back`);
    });
  }

  /** Makes an account with the code from the SMS file, and connects. */
  static async signUp(
    name: string,
    { url, smsFile }: { url: string; smsFile: string },
    narrator: Narrator,
  ): Promise<Person> {
    const anonymous = createRestClient({ url });
    const phone = { areaCode: AREA_CODE, phoneNumber: `139${String(randomInt(100_000_000)).padStart(8, '0')}` };
    const password = randomBytes(12).toString('base64url');
    const request = { ...phone, scene: 'SIGN_UP' } as const;
    const { challengeId } = await responseData(
      anonymous.POST('/apis/v2/userctx/user/account/sms-code/send', { body: request }),
    );
    const code = await readSmsCode(smsFile, phone.phoneNumber, request.scene);
    const body = { challengeId, code, password, nickname: name };
    const session = await responseData(anonymous.POST('/apis/v2/userctx/user/account/sign-up', { body }));
    const tokens = userSession(anonymous, session);
    const gateway = new GatewayClient({ url, tokens });
    const api = createRestClient({ url, tokens });
    const person = new Person(name, session.userId, { ...phone, password }, api, gateway, smsFile, narrator);
    gateway.start();
    await withTimeout('the gateway', gateway.whenConnected());
    person.log(`signed up with ${phone.areaCode} ${phone.phoneNumber}`);
    return person;
  }

  get timesReconnected(): number {
    return this.reconnections;
  }

  /** The conversation of this person and one child. */
  async conversationWith(cid: string): Promise<string | undefined> {
    const { items } = await retryUntilAvailable(() => responseData(this.api.GET('/apis/v2/message/conversation/list')));
    const isOurs = (members: { cid: string | null }[]) => members.some((member) => member.cid === cid);
    return items.find(({ type, members }) => type === 'DIRECT' && isOurs(members))?.conversationId;
  }

  /** @throws ApiError when the child cannot be reached now */
  async sendText(conversationId: string, text: string): Promise<void> {
    const message = { clientMsgId: randomUUID(), conversationId, text };
    await retryUntilAvailable(async () => {
      await withTimeout('the gateway to come back', this.gateway.whenConnected());
      return this.gateway.send('ChatTextMessage', message);
    });
  }

  /** Rings at the child's watch. @throws ApiError when the child cannot be reached now */
  async callWatch(cid: string): Promise<void> {
    await retryUntilAvailable(() => this.api.POST('/apis/v2/message/video-call/create', { body: { to: { cid } } }));
  }

  /** SMS about a call for help that have come to this person's number. */
  smsAboutSos(): Promise<number> {
    return countSmsAlerts(this.smsFile, this.credentials.phoneNumber, 'SOS');
  }

  leave(): void {
    this.gateway.stop();
  }

  log(what: string): void {
    this.narrator.say(this.name, what);
  }
}
