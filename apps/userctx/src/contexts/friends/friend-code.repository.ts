import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import type { ChildLink } from '../families/child-link.js';

/** Stores the friend codes that watches show. Times in Unix milliseconds. */
@Injectable()
export class FriendCodeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Stores the watch's friend code and invalidates the previous one. */
  async replace(did: number, codeDigest: Buffer, expiresAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.friend_code (did, code_digest, expires_at) values ($1, $2, $3)
       on conflict (did) do update set code_digest = excluded.code_digest, expires_at = excluded.expires_at`,
      [did, codeDigest, expiresAt],
    );
  }

  /**
   * Returns the child whose watch shows the code. Locks the child's link for share until commit: a concurrent deletion
   * of the child waits and then ends the new friendship. The child's family is not locked, because the caller has
   * locked another family.
   */
  async findChild(codeDigest: Buffer, now: number): Promise<ChildLink | undefined> {
    const [link] = await this.unitOfWork.executor.query<ChildLink>(
      `select link.family_id as "familyId", link.cid, link.did
         from userctx.friend_code code join userctx.family_child link on link.did = code.did
        where code.code_digest = $1 and code.expires_at > $2 for share of link`,
      [codeDigest, now],
    );
    return link;
  }

  async deleteExpired(now: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.friend_code where expires_at <= $1', [now]);
  }
}
