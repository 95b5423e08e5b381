import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import type { RulesContent } from './rules-content.js';

/** What was last told of a child. */
export interface PublishedRules {
  version: number;
  /** Null while nothing was told. */
  rules: RulesContent | null;
}

@Injectable()
export class ChildRulesRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** What was last told, kept as it is until the unit ends: of two who compare, the second sees what the first told. */
  async lock(familyId: string, cid: string): Promise<PublishedRules> {
    await this.unitOfWork.executor.query(
      'insert into userctx.child_rules (cid, family_id) values ($2, $1) on conflict (cid) do nothing',
      [familyId, cid],
    );
    const [told] = await this.unitOfWork.executor.query<PublishedRules>(
      'select version, rules from userctx.child_rules where family_id = $1 and cid = $2 for update',
      [familyId, cid],
    );
    if (!told) throw new Error('The rules of a child of another family');
    return told;
  }

  async save(familyId: string, cid: string, { version, rules }: PublishedRules): Promise<void> {
    await this.unitOfWork.executor.query(
      'update userctx.child_rules set version = $3, rules = $4::json where family_id = $1 and cid = $2',
      [familyId, cid, version, JSON.stringify(rules)],
    );
  }

  /** Children of whom nothing was told yet, at most `limit`. */
  findUnpublished(limit: number): Promise<{ familyId: string; cid: string }[]> {
    return this.unitOfWork.executor.query(
      'select family_id as "familyId", cid from userctx.child_rules where rules is null order by cid limit $1',
      [limit],
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
