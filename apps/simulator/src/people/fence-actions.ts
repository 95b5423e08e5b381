import { responseData } from '@family-watch/client/rest/response-data';
import type { Schema } from '@family-watch/client/rest/schemas';
import { retryUntilAvailable } from '../retry.js';
import type { Person } from './person.js';

const FENCE_PATH = '/apis/v2/userctx/user/fence';
/** Decimal places of coordinates in degrees; the last place is about a centimetre. */
const COORDINATE_DECIMALS = 7;
const PAGE_SIZE = 200;

/** A place around which a fence is created: coordinates in degrees WGS 84, radius in metres. */
export interface NamedPlace {
  name: string;
  latitude: number;
  longitude: number;
  radius: number;
}

/** Operations on the fences of a child. */
export class FenceActions {
  constructor(
    private readonly person: Person,
    private readonly cid: string,
  ) {}

  /** Creates a circular fence. @returns its `fenceId` */
  async create({ name, latitude, longitude, radius }: NamedPlace): Promise<string> {
    const circle = {
      latitude: latitude.toFixed(COORDINATE_DECIMALS),
      longitude: longitude.toFixed(COORDINATE_DECIMALS),
      radius,
    };
    const { fenceId } = await responseData(
      this.person.api.POST(`${FENCE_PATH}/create`, { body: { cid: this.cid, name, circle } }),
    );
    this.person.log(`creates a fence of ${radius} m around ${name}`);
    return fenceId;
  }

  /** Returns the fence events, newest first. */
  async log(): Promise<Schema<'FenceEventDto'>[]> {
    const params = { query: { cid: this.cid, limit: PAGE_SIZE } };
    return (await retryUntilAvailable(() => responseData(this.person.api.GET(`${FENCE_PATH}/event/list`, { params }))))
      .items;
  }
}
