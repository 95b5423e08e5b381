import { Injectable } from '@nestjs/common';
import type { ChildRules } from '@family-watch/domain/child-rules/contracts/child-rules';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** Projection of the child rules that userctx publishes. */
@Injectable()
export class ChildRulesProjectionRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Stores the rules if they are newer than the stored rules; returns whether the rules were stored. */
  async store(rules: ChildRules): Promise<boolean> {
    const stored = await this.unitOfWork.executor.query(STORE_RULES, [rules.cid, rules.version, JSON.stringify(rules)]);
    return stored.length > 0;
  }

  /** Returns the rules of these children; a child without stored rules is omitted. */
  async findByChildren(cids: readonly string[]): Promise<ChildRules[]> {
    const rows = await this.unitOfWork.executor.query<{ rules: ChildRules }>(
      'SELECT rules FROM gateway.child_rules WHERE cid = ANY($1::text[])',
      [cids],
    );
    return rows.map(({ rules }) => rules);
  }

  /** Returns the rules of a child, locked for share until the end of the current transaction. */
  async lockForShare(cid: string): Promise<ChildRules | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ rules: ChildRules }>(
      'SELECT rules FROM gateway.child_rules WHERE cid = $1 FOR SHARE',
      [cid],
    );
    return row?.rules;
  }

  /** Returns the rules stored in the last `milliseconds`, by the database's clock. */
  findChangedWithin(milliseconds: number): Promise<{ cid: string; version: number }[]> {
    return this.unitOfWork.executor.query(
      `SELECT cid, version FROM gateway.child_rules WHERE changed_at > ${DATABASE_NOW_MS_SQL} - $1::bigint`,
      [milliseconds],
    );
  }

  async delete(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.child_rules WHERE cid = $1', [cid]);
  }
}

const STORE_RULES = `
  INSERT INTO gateway.child_rules AS existing (cid, version, rules, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (cid) DO UPDATE
    SET version = excluded.version, rules = excluded.rules, changed_at = excluded.changed_at
    WHERE existing.version < excluded.version
  RETURNING version`;
