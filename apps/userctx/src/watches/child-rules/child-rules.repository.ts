import { Injectable } from '@nestjs/common';
import { IsNull, In, Not, MoreThan } from 'typeorm';
import { ChildRulesEntity } from '@family-watch/domain/watches/entities/child-rules.entity';
import type { SnapshotVersion } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildKey } from '../../families/family-roster.service.js';
import type { RulesContent } from './rules-content.js';

/** The last published rules of a child. */
export interface PublishedRules {
  version: number;
  /** Null until rules are published for the first time. */
  rules: RulesContent | null;
}

@Injectable()
export class ChildRulesRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /**
   * Returns the last published rules of the child and locks them until commit, so that concurrent publications run one
   * after the other.
   */
  async lock(familyId: string, cid: string): Promise<PublishedRules> {
    await this.rules.createQueryBuilder().insert().values({ cid, familyId }).orIgnore().execute();
    const published = await this.rules.findOne({ where: { familyId, cid }, lock: { mode: 'pessimistic_write' } });
    if (!published) throw new Error('The child belongs to another family');
    return published;
  }

  async save(familyId: string, cid: string, published: PublishedRules): Promise<void> {
    await this.rules.update({ familyId, cid }, published);
  }

  /** Returns at most `limit` children without published rules, in order of their ids after `afterCid`. */
  findUnpublished(limit: number, afterCid?: string): Promise<ChildKey[]> {
    return this.rules.find({
      select: { familyId: true, cid: true },
      where: { rules: IsNull(), ...(afterCid && { cid: MoreThan(afterCid) }) },
      order: { cid: 'ASC' },
      take: limit,
    });
  }

  /** Returns the published rules of these children. Children without published rules are omitted. */
  async findPublished(cids: readonly string[]): Promise<{ version: number; rules: RulesContent }[]> {
    const found = await this.rules.findBy({ cid: In(cids) });
    return found.flatMap(({ version, rules }) => (rules ? [{ version, rules }] : []));
  }

  /** Returns the versions of at most `limit` published rules of children with ids greater than `after`, in id order. */
  async listVersions(after: string | null, limit: number): Promise<SnapshotVersion[]> {
    const found = await this.rules.find({
      select: { cid: true, version: true },
      where: { rules: Not(IsNull()), ...(after === null ? {} : { cid: MoreThan(after) }) },
      order: { cid: 'ASC' },
      take: limit,
    });
    return found.map(({ cid: id, version }) => ({ id, version }));
  }

  async deleteUnpublished(familyId: string, cid: string): Promise<void> {
    await this.rules.delete({ familyId, cid, rules: IsNull() });
  }

  async erase(cid: string): Promise<void> {
    await this.rules.delete({ cid });
  }

  private get rules() {
    return this.unitOfWork.manager.getRepository(ChildRulesEntity);
  }
}
