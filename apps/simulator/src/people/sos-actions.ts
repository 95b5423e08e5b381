import { responseData } from '@family-watch/client/rest/response-data';
import type { Schema } from '@family-watch/client/rest/schemas';
import { retryUntilAvailable } from '../retry.js';
import type { Person } from './person.js';

const SOS = '/apis/v2/userctx/user/sos';

/** What somebody does about a child's call for help. */
export class SosActions {
  constructor(
    private readonly person: Person,
    private readonly cid: string,
  ) {}

  /** The newest first. */
  async calls(): Promise<Schema<'SosDto'>[]> {
    const params = { query: { cid: this.cid } };
    return (await retryUntilAvailable(() => responseData(this.person.api.GET(`${SOS}/list`, { params })))).items;
  }

  /** The call that is not resolved. */
  async findOpen(): Promise<Schema<'SosDto'> | undefined> {
    return (await this.calls()).find(({ state }) => state !== 'RESOLVED');
  }

  async find(sosId: string): Promise<Schema<'SosDto'> | undefined> {
    return (await this.calls()).find((call) => call.sosId === sosId);
  }

  async acknowledge(sosId: string): Promise<void> {
    await retryUntilAvailable(() =>
      responseData(this.person.api.POST(`${SOS}/ack`, { body: { cid: this.cid, sosId } })),
    );
    this.person.log('takes care of it');
  }

  async resolve(sosId: string): Promise<void> {
    await retryUntilAvailable(() =>
      responseData(this.person.api.POST(`${SOS}/resolve`, { body: { cid: this.cid, sosId } })),
    );
    this.person.log('says that all is well');
  }
}
