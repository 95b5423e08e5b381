import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import type { ChildLink } from '../../families/child-link.js';

/** Stores the codes that watches show to people who want to join the family. Times are Unix milliseconds. */
@Injectable()
export class FamilyCodeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Stores the watch's current code, which replaces the previous one. */
  async replace({ familyId, cid }: ChildLink, did: number, codeDigest: Buffer, expiresAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.family_code (did, cid, family_id, code_digest, expires_at) values ($1, $2, $3, $4, $5)
       on conflict (did) do update set cid = excluded.cid, family_id = excluded.family_id,
         code_digest = excluded.code_digest, expires_at = excluded.expires_at`,
      [did, cid, familyId, codeDigest, expiresAt],
    );
  }

  /** Finds the child whose watch shows the code, if the watch is still bound to that child. */
  async findChild(codeDigest: Buffer, now: number): Promise<ChildLink | undefined> {
    const [link] = await this.unitOfWork.executor.query<ChildLink>(
      `select link.family_id as "familyId", link.cid, link.did
         from userctx.family_code code
         join userctx.family_child link
           on link.did = code.did and link.cid = code.cid and link.family_id = code.family_id
        where code.code_digest = $1 and code.expires_at > $2`,
      [codeDigest, now],
    );
    return link;
  }

  async deleteExpired(now: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.family_code where expires_at <= $1', [now]);
  }
}
