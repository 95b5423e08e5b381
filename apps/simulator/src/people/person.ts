import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import {
  createClient,
  GatewayClient,
  responseData,
  userSession,
  type ClientEvent,
  type RestClient,
  type Schema,
  type SentPayload,
  type SuccessResponseTo,
} from '@family-watch/client';
import type { CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import { IncomingMessages } from '../incoming-messages.js';
import type { Narrator } from '../narrator.js';
import { retryUntilAvailable, withTimeout } from '../retry.js';
import { countSmsAlerts, readSmsCode } from '../server/sms-file.js';

const PAGE_SIZE = 200;

/**
 * A center message, with the time at which its notice was received, in Unix milliseconds by the clock of this machine.
 */
export type LoggedCenterMessage = Schema<'CenterMessageDto'> & { observedAt: number };

/** Collects a person's center messages. Each notice about the message centre triggers a read of the message centre. */
export class CenterMessageLog {
  private readonly items: LoggedCenterMessage[] = [];

  constructor(
    private readonly api: RestClient,
    gateway: GatewayClient,
  ) {
    gateway.onMessage('MessageCenterChangeNoticeMessage', ({ payload }) => this.fetch(payload.messageId, Date.now()));
  }

  /** Returns the center messages of this type in order of receipt. */
  ofType(type: CenterMessageType): readonly LoggedCenterMessage[] {
    return this.items.filter((item) => item.type === type);
  }

  private async fetch(messageId: string, observedAt: number): Promise<void> {
    const params = { query: { limit: PAGE_SIZE } };
    const page = await retryUntilAvailable(() =>
      responseData(this.api.GET('/apis/v2/message/center/list', { params })),
    );
    const found = page.items.find((item) => item.messageId === messageId);
    if (found) this.items.push({ ...found, observedAt });
  }
}

const AREA_CODE = '+86';

/** Credentials of a created account, which the demo prints so that a developer can sign in. */
export interface Credentials {
  areaCode: string;
  phoneNumber: string;
  password: string;
}

/** An adult with an account, a session and a socket. */
export class Person {
  readonly incoming: IncomingMessages;
  readonly centerMessages: CenterMessageLog;
  private reconnections = 0;

  private constructor(
    /** Name of the person in the printed lines. */
    readonly name: string,
    readonly userId: string,
    readonly credentials: Credentials,
    readonly api: RestClient,
    private readonly gateway: GatewayClient,
    private readonly smsFile: string,
    private readonly narrator: Narrator,
  ) {
    this.incoming = new IncomingMessages(gateway);
    this.centerMessages = new CenterMessageLog(api, gateway);
    gateway.on('disconnected', (reason) => {
      this.reconnections += 1;
      this.log(`lost the connection (${reason}) and reconnects`);
    });
  }

  /** Creates an account with the SMS code from the SMS file, and opens a socket. */
  static async signUp(
    name: string,
    { url, smsFile }: { url: string; smsFile: string },
    narrator: Narrator,
  ): Promise<Person> {
    const anonymous = createClient({ url });
    const phone = { areaCode: AREA_CODE, phoneNumber: `139${String(randomInt(100_000_000)).padStart(8, '0')}` };
    const password = randomBytes(12).toString('base64url');
    const request = { ...phone, scene: 'SIGN_UP' } as const;
    const { challengeId } = await anonymous.accounts.sendSmsCode(request);
    const code = await readSmsCode(smsFile, phone.phoneNumber, request.scene);
    const session = await anonymous.accounts.signUp({ challengeId, code, password, nickname: name });
    const tokens = userSession(anonymous, session);
    const gateway = new GatewayClient({ url, tokens });
    const api = createClient({ url, tokens }).rest;
    const person = new Person(name, session.userId, { ...phone, password }, api, gateway, smsFile, narrator);
    gateway.start();
    await withTimeout('the gateway', gateway.whenConnected());
    person.log(`signed up with ${phone.areaCode} ${phone.phoneNumber}`);
    return person;
  }

  get reconnectionCount(): number {
    return this.reconnections;
  }

  /** Returns the id of this person's direct conversation with a child. */
  async findConversationId(cid: string): Promise<string | undefined> {
    const { items } = await retryUntilAvailable(() => responseData(this.api.GET('/apis/v2/message/conversation/list')));
    const hasChild = (members: { cid: string | null }[]) => members.some((member) => member.cid === cid);
    return items.find(({ type, members }) => type === 'DIRECT' && hasChild(members))?.conversationId;
  }

  /** Sends a chat message. @throws ApiError when the child rules forbid the message at this time */
  async sendText(conversationId: string, text: string): Promise<void> {
    await this.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text });
  }

  /** Sends an idempotent event, with retries until the service responds. @throws ApiError for an error response */
  send<Event extends ClientEvent>(event: Event, payload: SentPayload<Event>): Promise<SuccessResponseTo<Event>> {
    return retryUntilAvailable(async () => {
      await withTimeout('the gateway to reconnect', this.gateway.whenConnected());
      return this.gateway.send(event, payload);
    });
  }

  /** Starts a video call to the child's watch. @throws ApiError when the child rules forbid the call at this time */
  async callWatch(cid: string): Promise<void> {
    await retryUntilAvailable(() => this.api.POST('/apis/v2/message/video-call/create', { body: { to: { cid } } }));
  }

  /** Returns the number of SMS about an SOS that were sent to this person's phone number. */
  countSosSms(): Promise<number> {
    return countSmsAlerts(this.smsFile, this.credentials.phoneNumber, 'SOS');
  }

  disconnect(): void {
    this.gateway.stop();
  }

  log(what: string): void {
    this.narrator.narrate(this.name, what);
  }
}
