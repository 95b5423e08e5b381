import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { SHARE_LIFETIME, SHARE_LIMIT } from '@family-watch/domain/locations/contracts/location-share';
import type {
  CreateShareDto,
  ShareDto,
  SharedLocationDto,
} from '@family-watch/domain/locations/dto/location-share.dto';
import { hashOf, mintCapability } from '@family-watch/platform/auth/capability';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FamilyAccess } from '../../families/family.access.js';
import { ChildLocationRepository } from '../child-location.repository.js';
import { ShareRepository } from './share.repository.js';
import type { LocationShare } from './share.repository.js';

/** How many expired links are ended in one unit of work. */
const SWEEP = 500;

/**
 * A guardian shows somebody outside the family where a child is, for a while. The link gives on the right of whoever
 * made it: when that ends, so does the link. All guardians are told when one begins and ends.
 */
@Injectable()
export class SharesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccess,
    private readonly locations: ChildLocationRepository,
    private readonly shares: ShareRepository,
  ) {}

  /** The token is told this once. @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, LIMIT_REACHED. */
  async create(caller: Principal, request: CreateShareDto): Promise<ShareDto & { token: string }> {
    const { expiresIn = SHARE_LIFETIME.DEFAULT, title = null } = request;
    const { token, hash } = mintCapability();
    const createdAt = Date.now();
    const made = { shareId: randomUUID(), createdBy: caller.id, title, createdAt };
    return this.unitOfWork.run(async () => {
      const { familyId, cid } = await this.access.forChild(caller, request.cid, 'SHARE_LOCATION');
      const standing = await this.shares.findOfChild(familyId, cid, createdAt);
      if (standing.length >= SHARE_LIMIT) throw new ServiceError('LIMIT_REACHED');
      const share = { ...made, familyId, cid, expiresAt: createdAt + expiresIn * 1_000 };
      await this.shares.add(share, hash);
      await this.tell(share, true, principalKey(caller));
      return { ...toDto(share), token };
    });
  }

  /** Those that can be used. @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING. */
  async list(caller: Principal, requestedCid: string): Promise<Page<ShareDto>> {
    const { familyId, cid } = await this.access.forChild(caller, requestedCid, 'SHARE_LOCATION');
    return { items: (await this.shares.findOfChild(familyId, cid, Date.now())).map(toDto), nextCursor: null };
  }

  /** Whoever may share may end what another has shared. @throws ServiceError SHARE_NOT_FOUND, PERMISSION_MISSING. */
  async delete(caller: Principal, shareId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const found = isUuid(shareId) ? await this.shares.findForMember(caller.id, shareId, Date.now()) : undefined;
      if (!found) throw new ServiceError('SHARE_NOT_FOUND');
      await this.access.forChild(caller, found.cid, 'SHARE_LOCATION', { unknown: 'SHARE_NOT_FOUND' });
      if (!(await this.end(found, principalKey(caller)))) throw new ServiceError('SHARE_NOT_FOUND');
    });
  }

  /** What the link shows. @throws ServiceError LINK_NOT_FOUND, whatever the reason is. */
  async open(token: string): Promise<SharedLocationDto> {
    const share = await this.shares.findByToken(hashOf(token), Date.now());
    if (!share || !(await this.stands(share))) throw new ServiceError('LINK_NOT_FOUND');
    const last = await this.locations.findOfFamily(share.familyId, share.cid);
    return { title: share.title, location: last?.point ?? null, expiresAt: share.expiresAt };
  }

  /** Ends the links whose makers may not see the child any more, so that they do not come back with the right. */
  async endUnfounded(familyId: string): Promise<void> {
    for (const share of await this.shares.findOfFamily(familyId))
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
    return this.access.allows(createdBy, cid, 'SHARE_LOCATION');
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
