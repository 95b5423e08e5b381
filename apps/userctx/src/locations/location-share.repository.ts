import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { FamilyMemberEntity } from '@family-watch/domain/families/entities/family.entities';
import { LocationShareEntity } from '@family-watch/domain/locations/entities/location.entities';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const SHARE_COLUMNS = `share_id AS "shareId", family_id AS "familyId", cid, created_by AS "createdBy", title,
  created_at AS "createdAt", expires_at AS "expiresAt"`;

const FIND_SHARE_BY_TOKEN = prepared(
  `SELECT ${SHARE_COLUMNS} FROM userctx.location_share WHERE token_digest = $1 AND expires_at > $2
      AND NOT EXISTS (SELECT FROM userctx.account WHERE user_id = created_by AND suspended_at IS NOT NULL)`,
);

const END_EXPIRED_SHARES = `
  DELETE FROM userctx.location_share WHERE share_id IN (
    SELECT share_id FROM userctx.location_share WHERE expires_at <= $1
     ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING ${SHARE_COLUMNS}`;

/** A public link that shows a child's location as long as the member who created the link has the permission. */
export type LocationShare = Omit<LocationShareEntity, 'tokenDigest'>;

/** Stores active shares, and expired shares until the expiry job deletes them. */
@Injectable()
export class LocationShareRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(share: LocationShare, tokenDigest: Buffer): Promise<void> {
    await this.shares.insert({ ...share, tokenDigest });
  }

  /** Finds an unexpired share by the digest of its token. */
  async findByToken(tokenDigest: Buffer, now: number): Promise<LocationShare | undefined> {
    const [share] = await this.unitOfWork.executor.query<LocationShare>(FIND_SHARE_BY_TOKEN, [tokenDigest, now]);
    return share;
  }

  /** Finds an unexpired share of a child in one of the user's families. */
  async findForMember(userId: string, shareId: string, now: number): Promise<LocationShare | undefined> {
    const share = await this.shares
      .createQueryBuilder('share')
      .innerJoin(FamilyMemberEntity, 'member', 'member.familyId = share.familyId AND member.userId = :userId')
      .where('share.shareId = :shareId AND share.expiresAt > :now', { userId, shareId, now })
      .getOne();
    return share ? toShare(share) : undefined;
  }

  /** Returns the unexpired shares of a child, newest first. */
  async findByChild(familyId: string, cid: string, now: number): Promise<LocationShare[]> {
    const shares = await this.shares.find({
      where: { familyId, cid, expiresAt: MoreThan(now) },
      order: { createdAt: 'DESC', shareId: 'ASC' },
    });
    return shares.map(toShare);
  }

  async findByFamily(familyId: string): Promise<LocationShare[]> {
    const shares = await this.shares.find({ where: { familyId }, order: { shareId: 'ASC' } });
    return shares.map(toShare);
  }

  /** Returns false if the share has already ended. */
  async end(familyId: string, shareId: string): Promise<boolean> {
    const { affected } = await this.shares.delete({ familyId, shareId });
    return affected === 1;
  }

  /** Deletes and returns at most `limit` expired shares. */
  endExpired(now: number, limit: number): Promise<LocationShare[]> {
    return this.unitOfWork.executor.query<LocationShare>(END_EXPIRED_SHARES, [now, limit]);
  }

  async erase(cid: string): Promise<void> {
    await this.shares.delete({ cid });
  }

  private get shares() {
    return this.unitOfWork.manager.getRepository(LocationShareEntity);
  }
}

function toShare({ tokenDigest, ...share }: LocationShareEntity): LocationShare {
  return share;
}
