import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { ERASED_PRINCIPAL } from './cleanup-task.js';

/** Tables, each with the column of a person; the rows of an erased person are deleted. */
const DELETED_ROWS: readonly (readonly [table: string, column: string])[] = [
  ['batch_task', 'principal'],
  ['share', 'grantee'],
  ['share', 'created_by'],
  ['idempotency_key', 'principal'],
];

/**
 * Columns that are anonymized because their rows stay with the family, in the order in which transactions lock the
 * tables.
 */
const ANONYMIZED_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['catalog', 'created_by'],
  ['album', 'created_by'],
  ['bin_emptying', 'requested_by'],
];

/** Anonymizes references to a person in all tables but contents, which have too many rows for one statement. */
@Injectable()
export class PersonReferenceRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Deletes or anonymizes all references to the person except those in contents and uploads. */
  async anonymize(principal: PrincipalKey): Promise<void> {
    for (const [table, column] of DELETED_ROWS) {
      await this.unitOfWork.executor.query(`DELETE FROM mcdisk.${table} WHERE ${column} = $1`, [principal]);
    }
    for (const [table, column] of ANONYMIZED_COLUMNS) await this.replacePrincipal(table, column, principal);
  }

  /** Anonymizes the person and the session in uploads. */
  async anonymizeUploads(principal: PrincipalKey): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE mcdisk.upload SET principal = $2, session_id = '' WHERE principal = $1`,
      [principal, ERASED_PRINCIPAL],
    );
  }

  private async replacePrincipal(table: string, column: string, principal: PrincipalKey): Promise<void> {
    await this.unitOfWork.executor.query(`UPDATE mcdisk.${table} SET ${column} = $2 WHERE ${column} = $1`, [
      principal,
      ERASED_PRINCIPAL,
    ]);
  }
}
