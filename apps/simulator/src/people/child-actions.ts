import { envelopeData, responseData } from '@family-watch/client/rest/response-data';
import type { Schema } from '@family-watch/client/rest/schemas';
import { retryUntilAvailable } from '../retry.js';
import type { Person } from './person.js';

const PAGE = 200;
const CAREGIVER = 3;
const GRANDMOTHER = 4;

export type StoredPoint = Schema<'StoredPointDto'>;

/** What the owner of a family does for a child and with the people around it. */
export class ChildActions {
  private constructor(
    private readonly person: Person,
    readonly cid: string,
    readonly familyId: string,
    /** IANA. */
    readonly timeZone: string,
  ) {}

  static async addChild(person: Person): Promise<ChildActions> {
    const body = {
      name: 'Mia',
      phoneNumber: '13812345678',
      areaCode: '+86',
      appellation: 'Mimi',
      ...({ gender: 3, weight: 120, height: 125 } as const),
    };
    const { cid } = await responseData(person.api.POST('/apis/v2/userctx/user/child/create', { body }));
    person.log('added the child Mia');
    const params = { query: { cid } };
    const { familyId, timeZone } = await responseData(person.api.GET('/apis/v2/userctx/user/child/detail', { params }));
    return new ChildActions(person, cid, familyId, timeZone);
  }

  /** A grandmother who cares for the child now and then, and may not reach it at school. */
  async invite(guest: Person): Promise<void> {
    const { familyId } = this;
    const body = { familyId, role: CAREGIVER, appellation: 'Grandma', identityType: GRANDMOTHER } as const;
    const { code } = await responseData(
      this.person.api.POST('/apis/v2/userctx/user/family/invitation/create', { body }),
    );
    await responseData(guest.api.POST('/apis/v2/userctx/user/family/invitation/accept', { body: { code } }));
    guest.log('accepted an invitation to the family');
  }

  async bind(shown: { bindCode: string; confirmCode: string }): Promise<void> {
    const body = { ...shown, cid: this.cid, appellation: 'Mama', identityType: 2 } as const;
    const { did } = await responseData(this.person.api.POST('/apis/v2/userctx/user/device/bind', { body }));
    this.person.log(`bound watch ${did} to Mia`);
  }

  /** The `refId` of a member among the contacts of the child. */
  async contactOf(deviceId: number, userId: string): Promise<string | undefined> {
    const params = { query: { deviceId } };
    const address = '/apis/v2/userctx/user/device/contacts/list';
    const { items } = await retryUntilAvailable(() => responseData(this.person.api.GET(address, { params })));
    return items.find((contact) => contact.userId === userId)?.refId;
  }

  async renameContact(deviceId: number, refId: string, appellation: string): Promise<void> {
    const body = { deviceId, refId, appellation };
    const address = '/hmd-wx/api/v2/userctx/user/device/contacts/update';
    await retryUntilAvailable(() => envelopeData(this.person.api.POST(address, { body })));
    this.person.log(`renamed a contact to ${appellation}`);
  }

  /** All stored points of the child in a period, page by page. Times in Unix milliseconds, `to` exclusive. */
  async track(from: number, to: number): Promise<StoredPoint[]> {
    const points: StoredPoint[] = [];
    let cursor: string | null = null;
    do {
      const query = { cid: this.cid, from, to, limit: PAGE, ...(cursor === null ? {} : { cursor }) };
      const page: Schema<'TrackDto'> = await retryUntilAvailable(() =>
        responseData(this.person.api.GET('/apis/v2/userctx/user/location/track', { params: { query } })),
      );
      points.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return points;
  }

  /** As GetChild shows it. */
  async child(): Promise<Schema<'ChildDto'> | undefined> {
    const { childList } = await retryUntilAvailable(() =>
      responseData(this.person.api.GET('/apis/v2/userctx/user/child/get')),
    );
    return childList.find(({ cid }) => cid === this.cid);
  }
}
