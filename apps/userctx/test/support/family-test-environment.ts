import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { TokenSigner } from '../../src/accounts/keys/token-signer.js';
import { FamilyRosterService } from '../../src/families/family-roster.service.js';
import { UserctxUnitOfWork } from '../../src/infrastructure/userctx-infrastructure.js';
import { ApiClient } from './api-client.js';
import { openTestDependencies, UserctxTestEnvironment, type DisabledParts } from './userctx-test-environment.js';

export { PASSWORD } from './userctx-test-environment.js';

/** An event as stored in the outbox. */
export interface StoredEvent<Payload = Record<string, unknown>> {
  name: string;
  key: string;
  payload: Payload;
}

/** Test environment for families, children and contacts over HTTP. */
export class FamilyTestEnvironment extends UserctxTestEnvironment {
  app!: NestFastifyApplication;
  baseUrl!: string;

  static async open(disabled: DisabledParts = {}): Promise<FamilyTestEnvironment> {
    const environment = new FamilyTestEnvironment(await openTestDependencies());
    environment.app = await environment.application(disabled);
    await environment.app.listen(0, '127.0.0.1');
    environment.baseUrl = await environment.app.getUrl();
    return environment;
  }

  /** Returns the events of a family in outbox order, optionally only those called `name`. */
  events<Payload = Record<string, unknown>>(familyId: string, name?: string): Promise<StoredEvent<Payload>[]> {
    return this.query(
      `SELECT name, key, payload FROM userctx.outbox
        WHERE key = $1 AND ($2::text IS NULL OR name = $2) ORDER BY position`,
      [familyId, name ?? null],
    );
  }

  /** Creates a user with an account, {@link PASSWORD} and an access token. */
  async createPerson(nickname = 'Anna'): Promise<ApiClient> {
    const { userId, phoneNumber } = await this.createAccount(this.app, nickname);
    return this.createClient('user', userId, phoneNumber);
  }

  /** Creates a watch with an access token and binds it to the child. */
  async createBoundWatch(familyId: string, cid: string): Promise<ApiClient & { did: number }> {
    const did = randomInt(1, 2 ** 47);
    await this.query(
      `INSERT INTO userctx.watch (did, public_key, imei, model, firmware_version, enrolled_at, last_contact_at)
       VALUES ($1, $2, '490154203237518', 'W7', '1.0', 0, 0)`,
      [did, randomBytes(32)],
    );
    const roster = this.app.get(FamilyRosterService);
    await this.app.get(UserctxUnitOfWork).run(() => roster.bindWatch(familyId, cid, did));
    return Object.assign(await this.createClient('watch', String(did), ''), { did });
  }

  private async createClient(type: 'user' | 'watch', id: string, phoneNumber: string): Promise<ApiClient> {
    const signer = this.app.get(TokenSigner);
    const { accessToken } = await signer.signAccessToken({ type, id, sessionId: randomUUID() });
    return new ApiClient(this.baseUrl, id, phoneNumber, accessToken);
  }
}
