import { randomInt } from 'node:crypto';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { expectOk, HttpClient } from './http-client.js';
import type { TestService } from './test-service.js';

/** A valid body of CreateChild (specification 2.5). */
export const VALID_CHILD = {
  name: 'Mia',
  phoneNumber: '13812345678',
  areaCode: '+86',
  appellation: 'Mimi',
  gender: 3,
  weight: 120,
  height: 125,
};

interface Tokens {
  accessToken: string;
  refreshToken: string;
  deviceToken: string;
  userId: string;
}

/** Returns a random phone number of the specified pattern. */
function randomPhoneNumber(): string {
  return `1${randomInt(30, 100)}${String(randomInt(10 ** 8)).padStart(8, '0')}`;
}

/** A parent's phone with a session. */
export class Parent extends HttpClient {
  private readonly sockets: TestClient[] = [];

  private constructor(
    private readonly service: TestService,
    readonly phoneNumber: string,
    readonly tokens: Tokens,
  ) {
    super(service.url, tokens.accessToken);
  }

  get userId(): string {
    return this.tokens.userId;
  }

  /** Creates an account with the code from the SMS file. */
  static async signUp(service: TestService, more: { password?: string; nickname?: string } = {}): Promise<Parent> {
    const phoneNumber = randomPhoneNumber();
    const code = await requestCode(service, phoneNumber, 'SIGN_UP');
    const tokens = await expectOk(
      new HttpClient(service.url).post<Tokens>('account/sign-up', { ...code, nickname: 'Anna', ...more }),
    );
    return new Parent(service, phoneNumber, tokens);
  }

  /** Signs this person in on a second phone. @returns the second phone, which has a session of its own */
  async signInOnSecondPhone(): Promise<Parent> {
    const code = await requestCode(this.service, this.phoneNumber, 'SIGN_IN');
    const tokens = await expectOk(new HttpClient(this.url).post<Tokens>('account/sign-in', code));
    return new Parent(this.service, this.phoneNumber, tokens);
  }

  /** Requests an SMS code for a sensitive operation and returns the value of its `stepUp` field. */
  stepUp(): Promise<{ challengeId: string; code: string }> {
    return requestCode(this.service, this.phoneNumber, 'STEP_UP');
  }

  async createChild(fields: object = {}): Promise<string> {
    return (await expectOk(this.post<{ cid: string }>('child/create', { ...VALID_CHILD, ...fields }))).cid;
  }

  /** Returns the id of the family that this person owns. */
  async findOwnFamilyId(): Promise<string> {
    const { items } = await expectOk(this.get<{ items: { familyId: string; role: number }[] }>('family/list'));
    const own = items.find(({ role }) => role === 1);
    if (!own) throw new Error('This person owns no family');
    return own.familyId;
  }

  /** Sends an invitation as this person and accepts it as the guest. */
  async addMember(guest: Parent, invitation: object): Promise<void> {
    const familyId = await this.findOwnFamilyId();
    const { code } = await expectOk(
      this.post<{ code: string }>('family/invitation/create', { familyId, ...invitation }),
    );
    await expectOk(guest.post('family/invitation/accept', { code }));
  }

  /** Opens a socket and waits for `hello`. */
  async connect(position: { last?: number } = {}): Promise<TestClient> {
    const client = new TestClient(this.url, { token: this.token, ...position }, this.address);
    this.sockets.push(client);
    await client.waitForHello();
    return client;
  }

  disconnectAll(): void {
    for (const socket of this.sockets) socket.close();
  }
}

/** Requests a code and reads it from the SMS file. */
export async function requestCode(
  service: TestService,
  phoneNumber: string,
  scene: string,
): Promise<{ challengeId: string; code: string }> {
  const request = { areaCode: '+86', phoneNumber, scene };
  const { challengeId } = await expectOk(
    new HttpClient(service.url).post<{ challengeId: string }>('account/sms-code/send', request),
  );
  return { challengeId, code: service.sms.latestCode(phoneNumber, scene) };
}
