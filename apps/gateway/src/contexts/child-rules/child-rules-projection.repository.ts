import { Injectable } from '@nestjs/common';
import type { ChildRules } from '@family-watch/domain/child-rules/contracts/child-rules';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** What each child's watch may be reached by, as the families' owner last told it. */
@Injectable()
export class ChildRulesProjectionRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Keeps the rules if they are newer than what is known; says whether they were. */
  async store(rules: ChildRules): Promise<boolean> {
    const stored = await this.unitOfWork.executor.query(STORE, [rules.cid, rules.version, JSON.stringify(rules)]);
    return stored.length > 0;
  }

  /** The rules of these children; one of whom nothing was told is left out. */
  async findByChildren(cids: readonly string[]): Promise<ChildRules[]> {
    const rows = await this.unitOfWork.executor.query<{ rules: ChildRules }>(
      'SELECT rules FROM gateway.child_rules WHERE cid = ANY($1::text[])',
      [cids],
    );
    return rows.map(({ rules }) => rules);
  }

  /** The rules of a child, which no newer ones replace before the open unit of work ends. */
  async lockForShare(cid: string): Promise<ChildRules | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ rules: ChildRules }>(
      'SELECT rules FROM gateway.child_rules WHERE cid = $1 FOR SHARE',
      [cid],
    );
    return row?.rules;
  }

  /** Which rules were stored in the last `milliseconds` by the database's clock. */
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

const STORE = `
  INSERT INTO gateway.child_rules AS known (cid, version, rules, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (cid) DO UPDATE
    SET version = excluded.version, rules = excluded.rules, changed_at = excluded.changed_at
    WHERE known.version < excluded.version
  RETURNING version`;
