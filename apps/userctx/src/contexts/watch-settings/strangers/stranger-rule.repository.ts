import { Injectable } from '@nestjs/common';
import type { AllowedNumber } from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

const COLUMNS = `allow_id as "allowId", area_code as "areaCode", phone_number as "phoneNumber", once,
  expires_at as "expiresAt"`;

/**
 * Stores whether calls from strangers are rejected, and the numbers that are allowed anyway. Times are Unix
 * milliseconds.
 */
@Injectable()
export class StrangerRuleRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns undefined if the rule was never set. */
  async findEnabled(familyId: string, cid: string): Promise<boolean | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ enabled: boolean }>(
      'select enabled from userctx.stranger_rule where family_id = $1 and cid = $2',
      [familyId, cid],
    );
    return row?.enabled;
  }

  async setEnabled(familyId: string, cid: string, enabled: boolean): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.stranger_rule (family_id, cid, enabled) values ($1, $2, $3)
       on conflict (cid) do update set enabled = excluded.enabled`,
      [familyId, cid, enabled],
    );
  }

  /** Returns the allowed numbers that have not expired, newest last. */
  findAllowed(familyId: string, cid: string, now: number): Promise<AllowedNumber[]> {
    return this.unitOfWork.executor.query<AllowedNumber>(
      `select ${COLUMNS} from userctx.allowed_number where family_id = $1 and cid = $2 and expires_at > $3
        order by created_at, allow_id`,
      [familyId, cid, now],
    );
  }

  async allow(familyId: string, cid: string, number: AllowedNumber, createdAt: number): Promise<void> {
    const { allowId, areaCode, phoneNumber, once, expiresAt } = number;
    await this.unitOfWork.executor.query(
      `insert into userctx.allowed_number (family_id, cid, allow_id, area_code, phone_number, once, expires_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [familyId, cid, allowId, areaCode, phoneNumber, once, expiresAt, createdAt],
    );
  }

  async disallow(familyId: string, cid: string, allowIds: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(
      'delete from userctx.allowed_number where family_id = $1 and cid = $2 and allow_id = any($3::uuid[])',
      [familyId, cid, allowIds],
    );
  }

  async deleteExpired(now: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.allowed_number where expires_at <= $1', [now]);
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.stranger_rule where cid = $1', [cid]);
    await this.unitOfWork.executor.query('delete from userctx.allowed_number where cid = $1', [cid]);
  }
}
