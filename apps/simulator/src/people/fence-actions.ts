import { responseData } from '@family-watch/client/rest/response-data';
import type { Schema } from '@family-watch/client/rest/schemas';
import { retryUntilAvailable } from '../retry.js';
import type { Person } from './person.js';

const FENCE = '/apis/v2/userctx/user/fence';
/** A centimetre. */
const DECIMALS = 7;
const PAGE = 200;

/** A place that the parents want to hear of; degrees and metres. */
export interface NamedPlace {
  name: string;
  latitude: number;
  longitude: number;
  radius: number;
}

/** What somebody does with the fences of a child. */
export class FenceActions {
  constructor(
    private readonly person: Person,
    private readonly cid: string,
  ) {}

  /** @returns the `fenceId` */
  async create({ name, latitude, longitude, radius }: NamedPlace): Promise<string> {
    const circle = { latitude: latitude.toFixed(DECIMALS), longitude: longitude.toFixed(DECIMALS), radius };
    const { fenceId } = await responseData(
      this.person.api.POST(`${FENCE}/create`, { body: { cid: this.cid, name, circle } }),
    );
    this.person.log(`puts a fence of ${radius} m around ${name}`);
    return fenceId;
  }

  /** What the fences have noticed, the newest first. */
  async log(): Promise<Schema<'FenceEventDto'>[]> {
    const params = { query: { cid: this.cid, limit: PAGE } };
    return (await retryUntilAvailable(() => responseData(this.person.api.GET(`${FENCE}/event/list`, { params }))))
      .items;
  }
}
