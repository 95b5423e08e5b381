import { Injectable } from '@nestjs/common';
import type { SnapshotVersion } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import type { RulesContent } from './rules-content.js';

/** The last published rules of a child. */
export interface PublishedRules {
  version: number;
  /** Null while no rules have been published. */
  rules: RulesContent | null;
}

@Injectable()
export class ChildRulesRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Locks the last published rules until commit, so that concurrent publications run one after the other. */
  async lock(familyId: string, cid: string): Promise<PublishedRules> {
    await this.unitOfWork.executor.query(
      'insert into userctx.child_rules (cid, family_id) values ($2, $1) on conflict (cid) do nothing',
      [familyId, cid],
    );
    const [published] = await this.unitOfWork.executor.query<PublishedRules>(
      'select version, rules from userctx.child_rules where family_id = $1 and cid = $2 for update',
      [familyId, cid],
    );
    if (!published) throw new Error('The child belongs to another family');
    return published;
  }

  async save(familyId: string, cid: string, { version, rules }: PublishedRules): Promise<void> {
    await this.unitOfWork.executor.query(
      'update userctx.child_rules set version = $3, rules = $4::json where family_id = $1 and cid = $2',
      [familyId, cid, version, JSON.stringify(rules)],
    );
  }

  /** Returns at most `limit` children without published rules. */
  findUnpublished(limit: number): Promise<{ familyId: string; cid: string }[]> {
    return this.unitOfWork.executor.query(
      'select family_id as "familyId", cid from userctx.child_rules where rules is null order by cid limit $1',
      [limit],
    );
  }

  /** Returns the published rules of these children. */
  findPublished(cids: readonly string[]): Promise<{ cid: string; version: number; rules: RulesContent }[]> {
    return this.unitOfWork.executor.query(
      'select cid, version, rules from userctx.child_rules where cid = any($1::uuid[]) and rules is not null',
      [cids],
    );
  }

  /** Returns the versions of at most `limit` published rules of children with ids greater than `after`, in id order. */
  listVersions(after: string | null, limit: number): Promise<SnapshotVersion[]> {
    return this.unitOfWork.executor.query(
      `select cid as id, version from userctx.child_rules
        where rules is not null and ($1::uuid is null or cid > $1) order by cid limit $2`,
      [after, limit],
    );
  }

  async deleteUnpublished(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query(
      'delete from userctx.child_rules where family_id = $1 and cid = $2 and rules is null',
      [familyId, cid],
    );
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.child_rules where cid = $1', [cid]);
  }
}
