import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { ERASED_PRINCIPAL } from './cleanup-task.js';

/** Rows that are about a person's own doings and go with the person. */
const OWN_ROWS: readonly (readonly [table: string, column: string])[] = [
  ['batch_task', 'principal'],
  ['share', 'grantee'],
  ['share', 'created_by'],
  ['idempotency_key', 'principal'],
];

/** Who did something that stays with the family; in the order in which units of work lock these tables. */
const NAMING_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['catalog', 'created_by'],
  ['album', 'created_by'],
  ['bin_emptying', 'requested_by'],
];

/** Where a cloud's tables name persons, but for the contents, which are too many for one statement. */
@Injectable()
export class PersonReferenceRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Nothing but contents and uploads names the person any more. */
  async anonymize(principal: PrincipalKey): Promise<void> {
    for (const [table, column] of OWN_ROWS) {
      await this.unitOfWork.executor.query(`DELETE FROM mcdisk.${table} WHERE ${column} = $1`, [principal]);
    }
    for (const [table, column] of NAMING_COLUMNS) await this.rename(table, column, principal);
  }

  /** Uploads remember the session as well. */
  async anonymizeUploads(principal: PrincipalKey): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE mcdisk.upload SET principal = $2, session_id = '' WHERE principal = $1`,
      [principal, ERASED_PRINCIPAL],
    );
  }

  private async rename(table: string, column: string, principal: PrincipalKey): Promise<void> {
    await this.unitOfWork.executor.query(`UPDATE mcdisk.${table} SET ${column} = $2 WHERE ${column} = $1`, [
      principal,
      ERASED_PRINCIPAL,
    ]);
  }
}
