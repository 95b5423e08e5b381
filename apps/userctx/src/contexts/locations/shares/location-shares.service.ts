import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  LOCATION_SHARE_TTL_SECONDS,
  MAX_LOCATION_SHARES_PER_CHILD,
} from '@family-watch/domain/locations/contracts/location-share';
import type {
  CreateShareDto,
  ShareDto,
  SharedLocationDto,
} from '@family-watch/domain/locations/dto/location-share.dto';
import { hashCapabilityToken, createCapabilityToken } from '@family-watch/platform/auth/capability-token';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { ChildLocationRepository } from '../child-location.repository.js';
import { LocationShareRepository } from './location-share.repository.js';
import type { LocationShare } from './location-share.repository.js';

/** How many expired links are ended in one unit of work. */
const SWEEP = 500;

/**
 * A guardian shows somebody outside the family where a child is, for a while. The link gives on the right of whoever
 * made it: when that ends, so does the link. All guardians are told when one begins and ends.
 */
@Injectable()
export class LocationSharesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly locations: ChildLocationRepository,
    private readonly shares: LocationShareRepository,
  ) {}

  /** The token is told this once. @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, LIMIT_REACHED. */
  async create(caller: Principal, request: CreateShareDto): Promise<ShareDto & { token: string }> {
    const { expiresIn = LOCATION_SHARE_TTL_SECONDS.DEFAULT, title = null } = request;
    const { token, hash } = createCapabilityToken();
    const createdAt = Date.now();
    const made = { shareId: randomUUID(), createdBy: caller.id, title, createdAt };
    return this.unitOfWork.run(async () => {
      const { familyId, cid } = await this.access.requireForChild(caller, request.cid, 'SHARE_LOCATION');
      const standing = await this.shares.findByChild(familyId, cid, createdAt);
      if (standing.length >= MAX_LOCATION_SHARES_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
      const share = { ...made, familyId, cid, expiresAt: createdAt + expiresIn * 1_000 };
      await this.shares.add(share, hash);
      await this.tell(share, true, principalKey(caller));
      return { ...toDto(share), token };
    });
  }

  /** Those that can be used. @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING. */
  async list(caller: Principal, requestedCid: string): Promise<Page<ShareDto>> {
    const { familyId, cid } = await this.access.requireForChild(caller, requestedCid, 'SHARE_LOCATION');
    return { items: (await this.shares.findByChild(familyId, cid, Date.now())).map(toDto), nextCursor: null };
  }

  /** Whoever may share may end what another has shared. @throws ServiceError SHARE_NOT_FOUND, PERMISSION_MISSING. */
  async delete(caller: Principal, shareId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const found = isUuid(shareId) ? await this.shares.findForMember(caller.id, shareId, Date.now()) : undefined;
      if (!found) throw new ServiceError('SHARE_NOT_FOUND');
      await this.access.requireForChild(caller, found.cid, 'SHARE_LOCATION', { unknown: 'SHARE_NOT_FOUND' });
      if (!(await this.end(found, principalKey(caller)))) throw new ServiceError('SHARE_NOT_FOUND');
    });
  }

  /** What the link shows. @throws ServiceError LINK_NOT_FOUND, whatever the reason is. */
  async resolve(token: string): Promise<SharedLocationDto> {
    const share = await this.shares.findByToken(hashCapabilityToken(token), Date.now());
    if (!share || !(await this.stands(share))) throw new ServiceError('LINK_NOT_FOUND');
    const last = await this.locations.findOfFamily(share.familyId, share.cid);
    return { title: share.title, location: last?.point ?? null, expiresAt: share.expiresAt };
  }

  /** Ends the links whose makers may not see the child any more, so that they do not come back with the right. */
  async endUnauthorized(familyId: string): Promise<void> {
    for (const share of await this.shares.findByFamily(familyId))
      if (!(await this.stands(share))) await this.end(share, null);
  }

  /** Ends what has expired. @param now - Unix milliseconds */
  async endExpired(now: number): Promise<void> {
    for (let ended = SWEEP; ended === SWEEP;) {
      ended = await this.unitOfWork.run(async () => {
        const expired = await this.shares.endExpired(now, SWEEP);
        for (const share of expired) await this.tell(share, false, null, now);
        return expired.length;
      });
    }
  }

  private async stands({ createdBy, cid }: LocationShare): Promise<boolean> {
    return this.access.isAllowed(createdBy, cid, 'SHARE_LOCATION');
  }

  private async end(share: LocationShare, by: PrincipalKey | null): Promise<boolean> {
    const ended = await this.shares.end(share.familyId, share.shareId);
    if (ended) await this.tell(share, false, by);
    return ended;
  }

  private async tell(share: LocationShare, active: boolean, by: PrincipalKey | null, time = Date.now()): Promise<void> {
    const { familyId, cid, shareId } = share;
    const payload = { familyId, cid, shareId, active, by, time };
    await this.outbox.append({ name: 'userctx.location-share.changed', key: familyId, payload });
  }
}

function toDto({ familyId, cid, ...seen }: LocationShare): ShareDto {
  return seen;
}
