import { envelopeData, responseData, type Schema } from '@family-watch/client';
import { retryUntilAvailable } from '../retry.js';
import type { Person } from './person.js';

const PAGE_SIZE = 200;

/** Roles that an invitation can give. */
export const INVITED_ROLE = { GUARDIAN: 2, CAREGIVER: 3 } as const;
export type InvitedRole = (typeof INVITED_ROLE)[keyof typeof INVITED_ROLE];

const GRANDMOTHER_IDENTITY_TYPE = 4;

/** What a parent enters for a child. */
export type ChildProfile = Schema<'CreateChildDto'>;

export const MIA: ChildProfile = {
  name: 'Mia',
  phoneNumber: '13812345678',
  areaCode: '+86',
  appellation: 'Mimi',
  gender: 3,
  weight: 120,
  height: 125,
};

export type StoredPoint = Schema<'StoredPointDto'>;

/** Operations of the owner on one child: members, binding, contacts, location. */
export class ChildActions {
  private constructor(
    private readonly person: Person,
    readonly name: string,
    readonly cid: string,
    readonly familyId: string,
    /** IANA time zone. */
    readonly timeZone: string,
  ) {}

  static async addChild(person: Person, body: ChildProfile): Promise<ChildActions> {
    const { cid } = await responseData(person.api.POST('/apis/v2/userctx/user/child/create', { body }));
    person.log(`added the child ${body.name}`);
    const params = { query: { cid } };
    const { familyId, timeZone } = await responseData(person.api.GET('/apis/v2/userctx/user/child/detail', { params }));
    return new ChildActions(person, body.name, cid, familyId, timeZone);
  }

  /** Invites the guest to the family. A caregiver may not contact the child during school time. */
  async invite(guest: Person, role: InvitedRole): Promise<void> {
    const { familyId } = this;
    const body = {
      familyId,
      role,
      appellation: 'Grandma',
      identityType: GRANDMOTHER_IDENTITY_TYPE,
    } as const;
    const { code } = await responseData(
      this.person.api.POST('/apis/v2/userctx/user/family/invitation/create', { body }),
    );
    await responseData(guest.api.POST('/apis/v2/userctx/user/family/invitation/accept', { body: { code } }));
    guest.log('accepted an invitation to the family');
  }

  /** Binds a watch to the child by the codes that the watch displays. */
  async bind(codes: { bindCode: string; confirmCode: string }): Promise<void> {
    const body = { ...codes, cid: this.cid, appellation: 'Mama', identityType: 2 } as const;
    const { did } = await responseData(this.person.api.POST('/apis/v2/userctx/user/device/bind', { body }));
    this.person.log(`bound watch ${did} to ${this.name}`);
  }

  /** Returns the `refId` of a member's entry in the child's contact list. */
  async findContactId(deviceId: number, userId: string): Promise<string | undefined> {
    const params = { query: { deviceId } };
    const path = '/apis/v2/userctx/user/device/contacts/list';
    const { items } = await retryUntilAvailable(() => responseData(this.person.api.GET(path, { params })));
    return items.find((contact) => contact.userId === userId)?.refId;
  }

  async renameContact(deviceId: number, refId: string, appellation: string): Promise<void> {
    const body = { deviceId, refId, appellation };
    const path = '/hmd-wx/api/v2/userctx/user/device/contacts/update';
    await retryUntilAvailable(() => envelopeData(this.person.api.POST(path, { body })));
    this.person.log(`renamed a contact to ${appellation}`);
  }

  /** Returns all stored points of the child from `from` until before `to`, Unix milliseconds. */
  async listTrack(from: number, to: number): Promise<StoredPoint[]> {
    const points: StoredPoint[] = [];
    let cursor: string | null = null;
    do {
      const query = { cid: this.cid, from, to, limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) };
      const page: Schema<'TrackDto'> = await retryUntilAvailable(() =>
        responseData(this.person.api.GET('/apis/v2/userctx/user/location/track', { params: { query } })),
      );
      points.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return points;
  }

  /** Returns the child from the response of GetChild. */
  async getChild(): Promise<Schema<'ChildDto'> | undefined> {
    const { childList } = await retryUntilAvailable(() =>
      responseData(this.person.api.GET('/apis/v2/userctx/user/child/get')),
    );
    return childList.find(({ cid }) => cid === this.cid);
  }
}

const FENCE_PATH = '/apis/v2/userctx/user/fence';
/** Decimal places of coordinates in degrees; the last place is about a centimetre. */
const COORDINATE_DECIMALS = 7;

/** A place around which a fence is created. Coordinates are in degrees (WGS 84), the radius is in metres. */
export interface NamedPlace {
  name: string;
  latitude: number;
  longitude: number;
  radius: number;
}

/** What a fence reports, and when the child should be inside; by default entering and leaving. */
type FenceRules = Pick<Schema<'CreateFenceDto'>, 'notify' | 'windows'>;

/** Operations on the fences of a child. */
export class FenceActions {
  constructor(
    private readonly person: Person,
    private readonly cid: string,
  ) {}

  /** Creates a circular fence. @returns the `fenceId` of the fence */
  async create({ name, latitude, longitude, radius }: NamedPlace, rules: FenceRules = {}): Promise<string> {
    const circle = {
      latitude: latitude.toFixed(COORDINATE_DECIMALS),
      longitude: longitude.toFixed(COORDINATE_DECIMALS),
      radius,
    };
    const { fenceId } = await responseData(
      this.person.api.POST(`${FENCE_PATH}/create`, { body: { cid: this.cid, name, circle, ...rules } }),
    );
    this.person.log(`creates a fence of ${radius} m around ${name}`);
    return fenceId;
  }

  /** Returns the fence events, newest first. */
  async listEvents(): Promise<Schema<'FenceEventDto'>[]> {
    const params = { query: { cid: this.cid, limit: PAGE_SIZE } };
    return (await retryUntilAvailable(() => responseData(this.person.api.GET(`${FENCE_PATH}/event/list`, { params }))))
      .items;
  }
}

const SOS_PATH = '/apis/v2/userctx/user/sos';

/** A person's operations on the SOS of a child. */
export class SosActions {
  constructor(
    private readonly person: Person,
    private readonly cid: string,
  ) {}

  /** Returns all SOS of the child, newest first. */
  async list(): Promise<Schema<'SosDto'>[]> {
    const params = { query: { cid: this.cid } };
    return (await retryUntilAvailable(() => responseData(this.person.api.GET(`${SOS_PATH}/list`, { params })))).items;
  }

  /** Returns the SOS that is not resolved, if any. */
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
