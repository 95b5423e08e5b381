import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  accountErasurePassesSql,
  dropAccountErasurePassesSql,
} from '@family-watch/platform/erasure/account-erasure-schema';

/** Indexes with which an erasure finds the rows that name a person, and the pauses of erasures. */
export class ErasurePasses1790000000340 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [accountErasurePassesSql('userctx'), ...INDEXES]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of [
      'userctx.location_ask_by',
      'userctx.location_wrong_report_reporter',
      'userctx.location_share_maker',
      'userctx.remote_command_by',
      'userctx.sos_acknowledged_by',
      'userctx.sos_resolved_by',
      'userctx.sos_step_user',
      'userctx.family_invitation_accepted_by',
      'userctx.ownership_claim_claimant',
      'userctx.ownership_claim_ended_by',
      'userctx.data_export_ended',
    ])
      await runner.query(`DROP INDEX ${name}`);
    await runner.query(dropAccountErasurePassesSql('userctx'));
  }
}

const INDEXES = [
  `CREATE INDEX IF NOT EXISTS location_ask_by ON userctx.location_ask ("by")`,
  `CREATE INDEX IF NOT EXISTS location_wrong_report_reporter ON userctx.location_wrong_report (reported_by)`,
  `CREATE INDEX IF NOT EXISTS location_share_maker ON userctx.location_share (created_by)`,
  `CREATE INDEX IF NOT EXISTS remote_command_by ON userctx.remote_command ("by")`,
  `CREATE INDEX IF NOT EXISTS sos_acknowledged_by ON userctx.sos (acknowledged_by) WHERE acknowledged_by IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS sos_resolved_by ON userctx.sos (resolved_by) WHERE resolved_by IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS sos_step_user ON userctx.sos_step (user_id) WHERE user_id IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS family_invitation_accepted_by ON userctx.family_invitation (accepted_by) WHERE accepted_by IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS ownership_claim_claimant ON userctx.ownership_claim (claimant_user_id)`,
  `CREATE INDEX IF NOT EXISTS ownership_claim_ended_by ON userctx.ownership_claim (ended_by) WHERE ended_by IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS data_export_ended ON userctx.data_export (requested_at) WHERE state IN ('FAILED', 'ENDED')`,
];
