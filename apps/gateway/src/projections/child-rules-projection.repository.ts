import { Injectable } from '@nestjs/common';
import type { ChildRules } from '@family-watch/domain/watches/contracts/child-rules';
import { ChildRulesProjectionEntity } from '@family-watch/domain/messages/entities/projections.entities';
import { DATABASE_NOW_MS_SUBQUERY, DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { Any, Raw } from 'typeorm';
import { GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';

const UPSERT_RULES_IF_NEWER = `
  INSERT INTO gateway.child_rules AS existing (cid, version, rules, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (cid) DO UPDATE
    SET version = excluded.version, rules = excluded.rules, changed_at = excluded.changed_at
    WHERE existing.version < excluded.version
  RETURNING version`;

/** Projection of the child rules that userctx publishes. */
@Injectable()
export class ChildRulesProjectionRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Stores the rules if they are newer than the stored rules; returns whether the rules were stored. */
  async store(rules: ChildRules): Promise<boolean> {
    const { executor } = this.unitOfWork;
    const stored = await executor.query(UPSERT_RULES_IF_NEWER, [rules.cid, rules.version, JSON.stringify(rules)]);
    return stored.length > 0;
  }

  /** Returns the rules of these children; a child without stored rules is omitted. */
  async findByChildren(cids: readonly string[]): Promise<ChildRules[]> {
    const found = await this.table.findBy({ cid: Any(cids) });
    return found.map(({ rules }) => rules);
  }

  /** Returns the rules of a child, locked for share until the end of the current transaction. */
  async lockForShare(cid: string): Promise<ChildRules | undefined> {
    const found = await this.table.findOne({ where: { cid }, lock: { mode: 'pessimistic_read' } });
    return found?.rules;
  }

  /** Returns the rules stored in the last `milliseconds`, by the database's clock. */
  findChangedWithin(milliseconds: number): Promise<Pick<ChildRulesProjectionEntity, 'cid' | 'version'>[]> {
    return this.table.find({
      select: { cid: true, version: true },
      where: {
        changedAt: Raw((column) => `${column} > ${DATABASE_NOW_MS_SUBQUERY} - :milliseconds::bigint`, { milliseconds }),
      },
    });
  }

  async delete(cid: string): Promise<void> {
    await this.table.delete({ cid });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(ChildRulesProjectionEntity);
  }
}
