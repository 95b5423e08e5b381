import { randomInt } from 'node:crypto';
import { TestClient } from '@family-watch/testing/clients/test-client';
import { expectOk, HttpClient } from './http-client.js';
import type { TestService } from './test-service.js';

/** A body by the rules of specification 2.5. */
export const CHILD = {
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
  userId: string;
}

/** A phone number of the seed's pattern that hardly anybody else in the run has. */
function freshPhone(): string {
  return `1${randomInt(30, 100)}${String(randomInt(10 ** 8)).padStart(8, '0')}`;
}

/** A parent's phone that has signed in. */
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

  /** Makes an account with the code that came by SMS. */
  static async signUp(service: TestService, more: { password?: string; nickname?: string } = {}): Promise<Parent> {
    const phoneNumber = freshPhone();
    const given = await codeFor(service, phoneNumber, 'SIGN_UP');
    const tokens = await expectOk(
      new HttpClient(service.url).post<Tokens>('account/sign-up', { ...given, nickname: 'Anna', ...more }),
    );
    return new Parent(service, phoneNumber, tokens);
  }

  /** A further phone of the same person: another session. */
  async secondPhone(): Promise<Parent> {
    const given = await codeFor(this.service, this.phoneNumber, 'SIGN_IN');
    const tokens = await expectOk(new HttpClient(this.url).post<Tokens>('account/sign-in', given));
    return new Parent(this.service, this.phoneNumber, tokens);
  }

  /** What confirms a dangerous operation (`stepUp`). */
  stepUp(): Promise<{ challengeId: string; code: string }> {
    return codeFor(this.service, this.phoneNumber, 'STEP_UP');
  }

  async createChild(fields: object = {}): Promise<string> {
    return (await expectOk(this.post<{ cid: string }>('child/create', { ...CHILD, ...fields }))).cid;
  }

  /** The family that this person owns. */
  async ownFamily(): Promise<string> {
    const { items } = await expectOk(this.get<{ items: { familyId: string; role: number }[] }>('family/list'));
    const own = items.find(({ role }) => role === 1);
    if (!own) throw new Error('This person owns no family');
    return own.familyId;
  }

  /** Invites the guest, who joins. */
  async addMember(guest: Parent, invitation: object): Promise<void> {
    const familyId = await this.ownFamily();
    const { code } = await expectOk(
      this.post<{ code: string }>('family/invitation/create', { familyId, ...invitation }),
    );
    await expectOk(guest.post('family/invitation/accept', { code }));
  }

  /** A socket of this phone, greeted. */
  async connect(position: { last?: number } = {}): Promise<TestClient> {
    const client = new TestClient(this.url, { token: this.token, ...position }, this.address);
    this.sockets.push(client);
    await client.whenGreeted();
    return client;
  }

  hangUp(): void {
    for (const socket of this.sockets) socket.close();
  }
}

/** Asks for a code and reads it where the SMS would arrive. */
export async function codeFor(
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
