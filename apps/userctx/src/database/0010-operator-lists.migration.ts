import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes of the lists of operators, which are ordered by time. */
export class OperatorLists1790000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP INDEX userctx.account_created, userctx.account_suspended, userctx.family_created, userctx.watch_enrolled, ' +
        'userctx.payment_order_created, userctx.payment_order_state',
    );
  }
}

/** Operators of large services have built the indexes before the upgrade, as the changelog says. */
const STATEMENTS = [
  `CREATE INDEX IF NOT EXISTS account_created ON userctx.account (created_at, user_id)`,
  `CREATE INDEX IF NOT EXISTS account_suspended ON userctx.account (created_at, user_id)
    WHERE suspended_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS family_created ON userctx.family (created_at, family_id)`,
  `CREATE INDEX IF NOT EXISTS watch_enrolled ON userctx.watch (enrolled_at, did)`,
  `CREATE INDEX IF NOT EXISTS payment_order_created ON userctx.payment_order (created_at, order_id)`,
  `CREATE INDEX IF NOT EXISTS payment_order_state ON userctx.payment_order (state, created_at, order_id)`,
];
