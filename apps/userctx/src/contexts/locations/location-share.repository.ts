import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** A public link that shows a child's location. Times are Unix milliseconds. */
export interface LocationShare {
  shareId: string;
  familyId: string;
  cid: string;
  /** The member whose permission the share depends on. */
  createdBy: string;
  title: string | null;
  createdAt: number;
  expiresAt: number;
}

const COLUMNS = `share.share_id as "shareId", share.family_id as "familyId", share.cid, share.created_by as "createdBy",
  share.title, share.created_at as "createdAt", share.expires_at as "expiresAt"`;

/** Stores active shares, and expired shares until the expiry job deletes them. */
@Injectable()
export class LocationShareRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add({ title, createdAt, expiresAt, ...share }: LocationShare, tokenDigest: Buffer): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.location_share
         (share_id, family_id, cid, token_digest, created_by, title, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [share.shareId, share.familyId, share.cid, tokenDigest, share.createdBy, title, createdAt, expiresAt],
    );
  }

  /** Finds an unexpired share by the digest of its token. */
  async findByToken(tokenDigest: Buffer, now: number): Promise<LocationShare | undefined> {
    const [share] = await this.unitOfWork.prepared.query<LocationShare>(
      `select ${COLUMNS} from userctx.location_share share where token_digest = $1 and expires_at > $2`,
      [tokenDigest, now],
    );
    return share;
  }

  /** Finds an unexpired share of a child in one of the user's families. */
  async findForMember(userId: string, shareId: string, now: number): Promise<LocationShare | undefined> {
    const [share] = await this.unitOfWork.executor.query<LocationShare>(
      `select ${COLUMNS} from userctx.location_share share
         join userctx.family_member member on member.family_id = share.family_id and member.user_id = $1
        where share.share_id = $2 and share.expires_at > $3`,
      [userId, shareId, now],
    );
    return share;
  }

  /** Returns the unexpired shares of a child, newest first. */
  findByChild(familyId: string, cid: string, now: number): Promise<LocationShare[]> {
    return this.unitOfWork.executor.query<LocationShare>(
      `select ${COLUMNS} from userctx.location_share share
        where family_id = $1 and cid = $2 and expires_at > $3 order by created_at desc, share_id`,
      [familyId, cid, now],
    );
  }

  findByFamily(familyId: string): Promise<LocationShare[]> {
    return this.unitOfWork.executor.query<LocationShare>(
      `select ${COLUMNS} from userctx.location_share share where family_id = $1 order by share_id`,
      [familyId],
    );
  }

  /** Returns false if the share has already ended. */
  async end(familyId: string, shareId: string): Promise<boolean> {
    const ended = await this.unitOfWork.executor.query(
      'delete from userctx.location_share where share_id = $1 and family_id = $2 returning 1',
      [shareId, familyId],
    );
    return ended.length === 1;
  }

  /**
   * Deletes and returns at most `limit` expired shares. Concurrent processes claim different shares (`SKIP LOCKED`).
   */
  endExpired(now: number, limit: number): Promise<LocationShare[]> {
    return this.unitOfWork.executor.query<LocationShare>(
      `delete from userctx.location_share share where share_id in (
         select share_id from userctx.location_share where expires_at <= $1
          order by expires_at limit $2 for update skip locked)
       returning ${COLUMNS}`,
      [now, limit],
    );
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.location_share where cid = $1', [cid]);
  }
}
