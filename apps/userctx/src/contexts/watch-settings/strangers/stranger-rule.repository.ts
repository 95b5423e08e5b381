import { Injectable } from '@nestjs/common';
import type { AllowedNumber } from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import {
  AllowedNumberEntity,
  StrangerRuleEntity,
} from '@family-watch/domain/watch-settings/entities/watch-settings.entities';
import { In, LessThanOrEqual, MoreThan } from 'typeorm';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

/**
 * Stores whether calls from strangers are rejected, and the numbers that are allowed anyway. Times are Unix
 * milliseconds.
 */
@Injectable()
export class StrangerRuleRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns undefined if the rule was never set. */
  async findEnabled(familyId: string, cid: string): Promise<boolean | undefined> {
    const rule = await this.rules.findOneBy({ familyId, cid });
    return rule?.enabled;
  }

  async setEnabled(familyId: string, cid: string, enabled: boolean): Promise<void> {
    await this.rules.upsert({ familyId, cid, enabled }, ['cid']);
  }

  /** Returns the allowed numbers that have not expired, newest last. */
  async findAllowed(familyId: string, cid: string, now: number): Promise<AllowedNumber[]> {
    const numbers = await this.numbers.find({
      where: { familyId, cid, expiresAt: MoreThan(now) },
      order: { createdAt: 'ASC', allowId: 'ASC' },
    });
    return numbers.map(toAllowedNumber);
  }

  async allow(familyId: string, cid: string, number: AllowedNumber, createdAt: number): Promise<void> {
    await this.numbers.insert({ ...number, familyId, cid, createdAt });
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
  }

  private get rules() {
    return this.unitOfWork.manager.getRepository(StrangerRuleEntity);
  }

  private get numbers() {
    return this.unitOfWork.manager.getRepository(AllowedNumberEntity);
  }
}

function toAllowedNumber({ familyId, cid, createdAt, ...number }: AllowedNumberEntity): AllowedNumber {
  return number;
}
