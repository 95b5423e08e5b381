import { Injectable } from '@nestjs/common';
import { Any, Between, LessThan, MoreThan } from 'typeorm';
import type { ChildRead } from '@family-watch/domain/privacy/contracts/child-read';
import { ChildReadChainEntity, ChildReadEntity } from '@family-watch/domain/privacy/entities/child-read.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** The lock on the child delays its erasure until the transaction ends. */
const CREATE_CHAINS = `
  WITH existing AS (SELECT cid FROM userctx.child WHERE cid = ANY ($1::uuid[]) ORDER BY cid FOR KEY SHARE)
  INSERT INTO userctx.child_read_chain (cid) SELECT cid FROM existing ON CONFLICT DO NOTHING`;

/** Functions of the schema delete entries, because the runtime role may not. */
const DELETE_EXPIRED_READS = 'SELECT userctx.delete_expired_child_reads($1, $2)';

const ERASE_READS = 'SELECT userctx.erase_child_reads($1)';

/** Selects entries of a child's log. Times in Unix milliseconds. */
export interface ChildReadSelection {
  cid: string;
  /** First hour. */
  from: number;
  /** Last hour, inclusive. */
  to: number;
  /** Only entries with smaller numbers. */
  before: number;
  limit: number;
}

/** Stores the access logs of children, whose entries the runtime role can neither change nor delete. */
@Injectable()
export class ChildReadRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Locks the chains of these children in the order of their ids; children that were erased have no chain. */
  async lockChains(cids: readonly string[]): Promise<ChildReadChainEntity[]> {
    await this.unitOfWork.executor.query(CREATE_CHAINS, [cids]);
    return this.chains.find({
      where: { cid: Any(cids) },
      order: { cid: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  findOfHours(cids: readonly string[], hours: readonly number[]): Promise<(ChildRead & { cid: string })[]> {
    return this.entries.find({
      select: { cid: true, viewer: true, kind: true, hour: true },
      where: { cid: Any(cids), hour: Any(hours) },
    });
  }

  async append(entries: readonly ChildReadEntity[], chains: readonly ChildReadChainEntity[]): Promise<void> {
    await this.entries.insert([...entries]);
    await this.chains.upsert([...chains], ['cid']);
  }

  findChain(cid: string): Promise<ChildReadChainEntity | null> {
    return this.chains.findOneBy({ cid });
  }

  /** Returns entries, the newest first. */
  findNewest({ cid, from, to, before, limit }: ChildReadSelection): Promise<ChildReadEntity[]> {
    const where = { cid, hour: Between(from, to), sequence: LessThan(before) };
    return this.entries.find({ where, order: { sequence: 'DESC' }, take: limit });
  }

  /** Returns the entries with numbers from `first` to `last`, the oldest first. */
  findRange(cid: string, first: number, last: number): Promise<ChildReadEntity[]> {
    return this.entries.find({ where: { cid, sequence: Between(first, last) }, order: { sequence: 'ASC' } });
  }

  /** Returns up to `limit` children after `after`, by id, with entries that were recorded before `time`. */
  async findExpired(time: number, limit: number, after?: string): Promise<string[]> {
    const chains = await this.chains.find({
      select: { cid: true },
      where: { oldestAt: LessThan(time), ...(after !== undefined && { cid: MoreThan(after) }) },
      order: { cid: 'ASC' },
      take: limit,
    });
    return chains.map(({ cid }) => cid);
  }

  async deleteExpired(cid: string, time: number): Promise<void> {
    await this.unitOfWork.executor.query(DELETE_EXPIRED_READS, [cid, time]);
  }

  /** Deletes the log of a child that does not exist any more. */
  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query(ERASE_READS, [cid]);
  }

  private get entries() {
    return this.unitOfWork.manager.getRepository(ChildReadEntity);
  }

  private get chains() {
    return this.unitOfWork.manager.getRepository(ChildReadChainEntity);
  }
}
