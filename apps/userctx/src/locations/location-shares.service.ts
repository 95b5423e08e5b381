import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  LOCATION_SHARE_TTL_SECONDS,
  MAX_LOCATION_SHARES_PER_CHILD,
} from '@family-watch/domain/locations/contracts/location';
import type {
  CreateShareDto,
  ShareDto,
  SharedLocationDto,
} from '@family-watch/domain/locations/dto/location-share.dto';
import { hashCapabilityToken, createCapabilityToken } from '@family-watch/platform/auth/random-codes';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxChildReads, UserctxOutbox, UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { ChildrenService } from '../families/children/children.service.js';
import { FamilyAccessService } from '../families/family-access.service.js';
import { FamilyRosterService } from '../families/family-roster.service.js';
import { WatchStatesService } from '../watches/status/watch-states.service.js';
import { LocationRepository } from './location.repository.js';
import { LocationShareRepository, type LocationShare } from './location-share.repository.js';

const EXPIRY_INTERVAL_MS = 30_000;
/** Number of expired shares ended in one transaction. */
const EXPIRY_BATCH_SIZE = 500;

/** What the page of a share shows beside the location; null if it is unknown. */
export interface ShareDetails {
  /** Name of the member who created the share. */
  sharedBy: string | null;
  /** IANA name of the child's time zone. */
  timeZone: string | null;
  /** Per cent. */
  battery: number | null;
  charging: boolean | null;
}

/**
 * Manages public links that show a child's location for a limited time. A share depends on its creator's permission and
 * ends when that permission ends. All guardians are notified when a share starts and ends.
 */
@Injectable()
export class LocationSharesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly children: ChildrenService,
    private readonly watchStates: WatchStatesService,
    private readonly locations: LocationRepository,
    private readonly shares: LocationShareRepository,
    private readonly childReads: UserctxChildReads,
  ) {}

  /**
   * Creates a share. No other method returns the token of a share.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, LIMIT_REACHED
   */
  async create(caller: Principal, request: CreateShareDto): Promise<ShareDto & { token: string }> {
    const { expiresIn = LOCATION_SHARE_TTL_SECONDS.DEFAULT, title = null } = request;
    const { token, hash } = createCapabilityToken();
    const createdAt = Date.now();
    const details = { shareId: randomUUID(), createdBy: caller.id, title, createdAt };
    return this.unitOfWork.run(async () => {
      const { familyId, cid } = await this.access.requireForChild(caller, request.cid, 'SHARE_LOCATION');
      const activeShares = await this.shares.findByChild(familyId, cid, createdAt);
      if (activeShares.length >= MAX_LOCATION_SHARES_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
      const share = { ...details, familyId, cid, expiresAt: createdAt + expiresIn * 1_000 };
      await this.shares.add(share, hash);
      await this.publishChange(share, true, principalKey(caller));
      return { ...toDto(share), token };
    });
  }

  /**
   * Lists the active shares of a child.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   */
  async list(caller: Principal, requestedCid: string): Promise<Page<ShareDto>> {
    const { familyId, cid } = await this.access.requireForChild(caller, requestedCid, 'SHARE_LOCATION');
    return { items: (await this.shares.findByChild(familyId, cid, Date.now())).map(toDto), nextCursor: null };
  }

  /**
   * Ends a share. Every member who may share the child's location may also end shares that other members created.
   * @throws ServiceError SHARE_NOT_FOUND, PERMISSION_MISSING
   */
  async delete(caller: Principal, shareId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const found = isUuid(shareId) ? await this.shares.findForMember(caller.id, shareId, Date.now()) : undefined;
      if (!found) throw new ServiceError('SHARE_NOT_FOUND');
      await this.access.requireForChild(caller, found.cid, 'SHARE_LOCATION', { unknownReason: 'SHARE_NOT_FOUND' });
      if (!(await this.end(found, principalKey(caller)))) throw new ServiceError('SHARE_NOT_FOUND');
    });
  }

  /**
   * Returns the location that the link with this token shows.
   * @throws ServiceError LINK_NOT_FOUND for an unknown token, an ended or expired share, and a creator without the
   * permission.
   */
  async resolve(token: string): Promise<SharedLocationDto> {
    return this.readLocation(await this.findByToken(token));
  }

  /**
   * Returns what the page of the link with this token shows.
   * @throws ServiceError LINK_NOT_FOUND like {@link resolve}
   */
  async resolveForPage(token: string): Promise<SharedLocationDto & ShareDetails> {
    const share = await this.findByToken(token);
    const { familyId, cid, createdBy } = share;
    const [members, timeZone, link] = await Promise.all([
      this.roster.findMembers(familyId),
      this.children.findTimeZone(familyId, cid),
      this.roster.findChild(cid),
    ]);
    const did = link?.did ?? null;
    const status = did === null ? null : await this.watchStates.findBattery(did);
    return {
      ...(await this.readLocation(share)),
      sharedBy: members.find(({ userId }) => userId === createdBy)?.name ?? null,
      timeZone,
      battery: status?.battery ?? null,
      charging: status?.charging ?? null,
    };
  }

  private async findByToken(token: string): Promise<LocationShare> {
    const share = await this.shares.findByToken(hashCapabilityToken(token), Date.now());
    if (!share || !(await this.isAuthorized(share))) throw new ServiceError('LINK_NOT_FOUND');
    return share;
  }

  private async readLocation(share: LocationShare): Promise<SharedLocationDto> {
    const last = await this.locations.findLast(share.familyId, share.cid);
    if (last) this.childReads.record(`share:${share.shareId}`, share.cid, 'LOCATION');
    return { title: share.title, location: last?.point ?? null, expiresAt: share.expiresAt };
  }

  /** Ends shares whose creators lost the permission. The shares stay ended if the permission is granted again. */
  async endUnauthorized(familyId: string): Promise<void> {
    for (const share of await this.shares.findByFamily(familyId))
      if (!(await this.isAuthorized(share))) await this.end(share, null);
  }

  /**
   * Deletes expired shares and publishes their end, of which the guardians are notified. A link stops working at its
   * expiry, before this job runs.
   */
  @OnJob('userctx.locations.end-expired-shares', { intervalMs: EXPIRY_INTERVAL_MS })
  async endExpired(now: number): Promise<void> {
    for (let ended = EXPIRY_BATCH_SIZE; ended === EXPIRY_BATCH_SIZE;) {
      ended = await this.unitOfWork.run(async () => {
        const expired = await this.shares.endExpired(now, EXPIRY_BATCH_SIZE);
        for (const share of expired) await this.publishChange(share, false, null, now);
        return expired.length;
      });
    }
  }

  private async isAuthorized({ createdBy, cid }: LocationShare): Promise<boolean> {
    return this.access.isAllowed(createdBy, cid, 'SHARE_LOCATION');
  }

  private async end(share: LocationShare, by: PrincipalKey | null): Promise<boolean> {
    const ended = await this.shares.end(share.familyId, share.shareId);
    if (ended) await this.publishChange(share, false, by);
    return ended;
  }

  private async publishChange(
    share: LocationShare,
    active: boolean,
    by: PrincipalKey | null,
    time = Date.now(),
  ): Promise<void> {
    const { familyId, cid, shareId } = share;
    await this.outbox.appendForFamily('userctx.location-share.changed', { familyId, cid, shareId, active, by, time });
  }
}

function toDto({ familyId, cid, ...fields }: LocationShare): ShareDto {
  return fields;
}
