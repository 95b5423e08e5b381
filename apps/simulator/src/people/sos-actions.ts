import { responseData } from '@family-watch/client/rest/response-data';
import type { Schema } from '@family-watch/client/rest/schemas';
import { retryUntilAvailable } from '../retry.js';
import type { Person } from './person.js';

const SOS_PATH = '/apis/v2/userctx/user/sos';

/** A person's operations on the SOS of a child. */
export class SosActions {
  constructor(
    private readonly person: Person,
    private readonly cid: string,
  ) {}

  /** Returns all SOS, newest first. */
  async list(): Promise<Schema<'SosDto'>[]> {
    const params = { query: { cid: this.cid } };
    return (await retryUntilAvailable(() => responseData(this.person.api.GET(`${SOS_PATH}/list`, { params })))).items;
  }

  /** Returns the SOS that is not resolved. */
  async findOpen(): Promise<Schema<'SosDto'> | undefined> {
    return (await this.list()).find(({ state }) => state !== 'RESOLVED');
  }

  async find(sosId: string): Promise<Schema<'SosDto'> | undefined> {
    return (await this.list()).find((sos) => sos.sosId === sosId);
  }

  async acknowledge(sosId: string): Promise<void> {
    await retryUntilAvailable(() =>
      responseData(this.person.api.POST(`${SOS_PATH}/ack`, { body: { cid: this.cid, sosId } })),
    );
    this.person.log('acknowledges the SOS');
  }

  async resolve(sosId: string): Promise<void> {
    await retryUntilAvailable(() =>
      responseData(this.person.api.POST(`${SOS_PATH}/resolve`, { body: { cid: this.cid, sosId } })),
    );
    this.person.log('resolves the SOS');
  }
}
