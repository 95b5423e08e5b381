import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import type {
  WatchListQueryDto,
  WatchPageDto,
  WatchStateDto,
  WatchStatesDto,
  WatchStatesQueryDto,
} from '@family-watch/domain/operators/dto/fleet.dto';
import type { WatchEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { decodeCursor, encodeCursor } from '@family-watch/platform/database/page-cursor';
import { WatchBindingRepository } from '../binding/watch-binding.repository.js';
import { WatchRepository } from '../watch.repository.js';
import { WatchListRepository, type WatchPosition } from './watch-list.repository.js';
import { WatchStatusRepository } from './watch-status.repository.js';

/** An IMEI is only a claim of a watch, so many watches can claim the same IMEI. */
const MAX_WATCHES = 50;

/** Finds states of watches, without positions and without data of their children. */
@Injectable()
export class WatchStatesService {
  constructor(
    private readonly watches: WatchRepository,
    private readonly bindings: WatchBindingRepository,
    private readonly status: WatchStatusRepository,
    private readonly watchList: WatchListRepository,
  ) {}

  /** Returns what a watch last reported about its battery, in per cent; null while it has reported nothing. */
  async findBattery(did: number): Promise<{ battery: number | null; charging: boolean | null } | null> {
    const [status] = await this.status.findAll([did]);
    return status ?? null;
  }

  /**
   * For operators: returns the watch with this `did`, or the watches that claim this IMEI; an empty list if there is none.
   * @throws ServiceError VALIDATION_FAILED unless the query contains either `did` or `imei`
   */
  async find({ did, imei }: WatchStatesQueryDto): Promise<WatchStatesDto> {
    if ((did === undefined) === (imei === undefined)) throw validationError('', 'either', 'provide either did or imei');
    const watch = did === undefined ? null : await this.watches.find(did);
    const found = imei === undefined ? (watch ? [watch] : []) : await this.watches.findByImei(imei, MAX_WATCHES);
    return { items: await this.statesOf(found) };
  }

  /**
   * For operators: returns a page of watches, the last enrolled first. The page can be short, because a request examines a
   * limited number of watches.
   * @throws ServiceError VALIDATION_FAILED when the cursor is malformed
   */
  async list({ cursor, limit = DEFAULT_PAGE_LIMIT, ...query }: WatchListQueryDto): Promise<WatchPageDto> {
    const after = decodePosition(cursor);
    const { state = null, model = null, imeiPrefix = null, groupId = null, lastContactBefore = null } = query;
    if (groupId !== null && !isUuid(groupId)) return { items: [], nextCursor: null };
    const until = await this.watchList.findLastExamined(after);
    const filter = { state, model, imeiPrefix, groupId, lastContactBefore };
    const found = await this.watchList.findPage(filter, { after, until }, limit + 1);
    const page = found.slice(0, limit);
    const watches = new Map((await this.watches.findAll(page.map(({ did }) => did))).map((each) => [each.did, each]));
    const last = found.length > limit ? page.at(-1) : until;
    return {
      items: await this.statesOf(page.flatMap(({ did }) => watches.get(did) ?? [])),
      nextCursor: last ? encodeCursor(last.enrolledAt, last.did) : null,
    };
  }

  private async statesOf(found: readonly WatchEntity[]): Promise<WatchStateDto[]> {
    const dids = found.map((each) => each.did);
    const bindings = new Map((await this.bindings.findAllActive(dids)).map((binding) => [binding.did, binding]));
    const statuses = new Map((await this.status.findAll(dids)).map((status) => [status.did, status]));
    const listed = new Set(
      (await this.watches.findListEntries(found.map((each) => each.imei))).map((entry) => entry.imei),
    );
    return found.map((each) => {
      const [binding, status] = [bindings.get(each.did), statuses.get(each.did)];
      return {
        did: each.did,
        imei: each.imei,
        listed: listed.has(each.imei),
        model: each.model,
        firmwareVersion: status?.firmwareVersion ?? each.firmwareVersion,
        enrolledAt: each.enrolledAt,
        lastContactAt: each.lastContactAt,
        revokedAt: each.revokedAt,
        familyId: binding?.familyId ?? null,
        boundAt: binding?.boundAt ?? null,
        online: status?.online ?? null,
        battery: status?.battery ?? null,
      };
    });
  }
}

/** @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
function decodePosition(cursor: string | undefined): WatchPosition | undefined {
  if (cursor === undefined) return undefined;
  const [enrolledAt, did] = decodeCursor(cursor, /^(\d{1,16})\.(\d{1,16})$/);
  return { enrolledAt: Number(enrolledAt), did: Number(did) };
}
