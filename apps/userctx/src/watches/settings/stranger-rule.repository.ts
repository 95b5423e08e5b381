import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual, MoreThan, LessThan } from 'typeorm';
import { CALL_OUTCOME, type CallOutcome } from '@family-watch/domain/watches/contracts/stranger-rule';
import type { AllowedNumberDto, BlockedCallDto } from '@family-watch/domain/watches/dto/stranger.dto';
import {
  AllowedNumberEntity,
  StrangerRuleEntity,
  BlockedCallEntity,
} from '@family-watch/domain/watches/entities/watch-settings.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ReportingWatch } from './settings-changes.service.js';

const INSERT_STRANGER_CALLS = `
  INSERT INTO userctx.blocked_call
    (family_id, cid, did, reported_at, call_id, time, area_code, phone_number, cause, outcome)
  SELECT $1::uuid, $2::uuid, $3::bigint, $4::bigint, *
    FROM unnest($5::uuid[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[])
  ON CONFLICT ON CONSTRAINT blocked_call_once_key DO NOTHING
  RETURNING call_id AS "callId"`;

/** A call from a stranger as reported by the watch. */
export interface StrangerCall extends BlockedCallDto {
  outcome: CallOutcome;
}

/**
 * Stores whether calls from strangers are rejected, the phone numbers that may call nevertheless, and the calls from
 * strangers with their outcome. Times are Unix milliseconds.
 */
@Injectable()
export class StrangerRuleRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns whether calls from strangers are rejected, or undefined if the rule was never set. */
  async findEnabled(familyId: string, cid: string): Promise<boolean | undefined> {
    const rule = await this.rules.findOneBy({ familyId, cid });
    return rule?.enabled;
  }

  async setEnabled(familyId: string, cid: string, enabled: boolean): Promise<void> {
    await this.rules.upsert({ familyId, cid, enabled }, ['cid']);
  }

  /** Returns the allowed numbers that have not expired, oldest first. */
  async findAllowed(familyId: string, cid: string, now: number): Promise<AllowedNumberDto[]> {
    const numbers = await this.numbers.find({
      where: { familyId, cid, expiresAt: MoreThan(now) },
      order: { createdAt: 'ASC', allowId: 'ASC' },
    });
    return numbers.map(toAllowedNumber);
  }

  /** Inserts the number, or replaces the one with the same `allowId`. */
  async allow(familyId: string, cid: string, number: AllowedNumberDto, createdAt: number): Promise<void> {
    await this.numbers.upsert({ ...number, familyId, cid, createdAt }, ['allowId']);
  }

  async disallow(familyId: string, cid: string, allowIds: readonly string[]): Promise<void> {
    await this.numbers.delete({ familyId, cid, allowId: In(allowIds) });
  }

  async deleteExpired(now: number): Promise<void> {
    await this.numbers.delete({ expiresAt: LessThanOrEqual(now) });
  }

  async erase(cid: string): Promise<void> {
    await this.rules.delete({ cid });
    await this.numbers.delete({ cid });
    await this.calls.delete({ cid });
  }

  /**
   * Inserts calls. A call with the same watch, time and number that is already stored is unchanged.
   * @returns the ids of the inserted calls
   */
  async addCalls(
    { familyId, cid, did }: ReportingWatch,
    calls: readonly StrangerCall[],
    reportedAt: number,
  ): Promise<Set<string>> {
    const added = await this.unitOfWork.executor.query<{ callId: string }>(INSERT_STRANGER_CALLS, [
      familyId,
      cid,
      did,
      reportedAt,
      ...columnsOf(calls, 'callId', 'time', 'areaCode', 'phoneNumber', 'cause', 'outcome'),
    ]);
    return new Set(added.map(({ callId }) => callId));
  }

  /** Returns a page of blocked calls, newest first. */
  findBlockedCalls(familyId: string, cid: string, page: TimePageRequest): Promise<Page<BlockedCallDto>> {
    const select = ['callId', 'time', 'areaCode', 'phoneNumber', 'cause'] as const;
    const blocked = { familyId, cid, outcome: CALL_OUTCOME.BLOCKED };
    return findTimePage(this.calls, blocked, { time: 'time', id: 'callId', select }, page);
  }

  async deleteCallsBefore(reportedBefore: number): Promise<void> {
    await this.calls.delete({ reportedAt: LessThan(reportedBefore) });
  }

  private get rules() {
    return this.unitOfWork.manager.getRepository(StrangerRuleEntity);
  }

  private get numbers() {
    return this.unitOfWork.manager.getRepository(AllowedNumberEntity);
  }

  private get calls() {
    return this.unitOfWork.manager.getRepository(BlockedCallEntity);
  }
}

function toAllowedNumber({ familyId, cid, createdAt, ...allowedNumber }: AllowedNumberEntity): AllowedNumberDto {
  return allowedNumber;
}
