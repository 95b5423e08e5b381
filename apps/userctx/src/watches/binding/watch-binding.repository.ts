import { Injectable } from '@nestjs/common';
import { Any, IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import { WatchBindingEntity, BindCodeEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const FIND_EFFECTIVE_BINDINGS = prepared(`
  SELECT effective.*, EXISTS (
           SELECT FROM userctx.watch_binding former
            WHERE former.did = effective.did AND former.cid <> effective.cid AND former.bound_at < effective."boundAt"
         ) AS "wasBoundToOtherChild"
    FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS input (did, time, ordinal)
    LEFT JOIN LATERAL (
      SELECT did, cid, family_id AS "familyId", bound_at AS "boundAt" FROM userctx.watch_binding
       WHERE did = input.did AND bound_at <= input.time AND (unbound_at IS NULL OR unbound_at > input.time)
       ORDER BY bound_at DESC
       LIMIT 1) effective ON true
   ORDER BY input.ordinal`);

const INCREMENT_BIND_CODE_TRIES = `
  UPDATE userctx.bind_code SET tries = tries + 1
   WHERE code_digest = $1 AND expires_at > $2 AND tries < $3
  RETURNING did, confirm_digest AS "confirmDigest"`;

/** The unique index that a new binding would violate. */
export type BindingCollision = 'watch_binding_one_child' | 'watch_binding_one_watch' | 'watch_binding_one_imei';

/** The binding of a watch to a child that is, or was, effective at a time. */
export interface EffectiveBinding extends Pick<WatchBindingEntity, 'did' | 'cid' | 'familyId' | 'boundAt'> {
  /** Whether the watch was bound to another child before this binding. */
  wasBoundToOtherChild: boolean;
}

/** A watch, and the time (Unix milliseconds) of the binding to look up. */
export interface WatchMoment {
  did: number;
  time: number;
}

/** Maximum number of tries per bind code, correct ones included. */
const MAX_TRIES_PER_CODE = 5;

/** A valid bind code of which the caller has sent the long half (128 random bits). */
export type AttemptedBindCode = Pick<BindCodeEntity, 'did' | 'confirmDigest'>;

/**
 * Stores which watch acts for which child, now and in the past, and the codes with which a watch can be bound. Times
 * are Unix milliseconds.
 */
@Injectable()
export class WatchBindingRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findActive(did: number): Promise<WatchBindingEntity | null> {
    return this.unitOfWork.manager.findOneBy(WatchBindingEntity, { did, unboundAt: IsNull() });
  }

  /** Returns the newest binding of the watch, even if it has ended. */
  findNewest(did: number): Promise<WatchBindingEntity | null> {
    return this.unitOfWork.manager.findOne(WatchBindingEntity, { where: { did }, order: { boundAt: 'DESC' } });
  }

  findActiveOfChild(cid: string): Promise<WatchBindingEntity[]> {
    return this.unitOfWork.manager.findBy(WatchBindingEntity, { cid, unboundAt: IsNull() });
  }

  findAllActive(dids: readonly number[]): Promise<WatchBindingEntity[]> {
    return this.unitOfWork.manager.findBy(WatchBindingEntity, { did: Any(dids), unboundAt: IsNull() });
  }

  /** Returns the binding that was effective at this time, even if it has ended since. */
  async findAt(did: number, time: number): Promise<EffectiveBinding | null> {
    const [binding = null] = await this.findAllAt([{ did, time }]);
    return binding;
  }

  /** Returns the effective binding for each watch and time, in the order of `moments`. */
  async findAllAt(moments: readonly WatchMoment[]): Promise<(EffectiveBinding | null)[]> {
    if (moments.length === 0) return [];
    const rows = await this.unitOfWork.executor.query<{
      [Member in keyof EffectiveBinding]: EffectiveBinding[Member] | null;
    }>(FIND_EFFECTIVE_BINDINGS, columnsOf(moments, 'did', 'time'));
    return rows.map((row) => (row.cid === null ? null : (row as EffectiveBinding)));
  }

  /**
   * Returns the unique index that a new binding would violate now. If several concurrent bindings pass this check, the
   * unique indexes let only one of them succeed.
   */
  async findCollision(did: number, cid: string, imei: string): Promise<BindingCollision | undefined> {
    const active = await this.unitOfWork.manager.find(WatchBindingEntity, {
      where: [{ did }, { cid }, { imei }].map((same) => ({ ...same, unboundAt: IsNull() })),
    });
    if (active.some((binding) => binding.did === did)) return 'watch_binding_one_child';
    if (active.some((binding) => binding.cid === cid)) return 'watch_binding_one_watch';
    return active.length > 0 ? 'watch_binding_one_imei' : undefined;
  }

  /** Returns false if there is an active binding of the same watch, child or IMEI. */
  add(binding: WatchBindingEntity): Promise<boolean> {
    return insertIfAbsent(this.unitOfWork.manager.getRepository(WatchBindingEntity), binding);
  }

  /** Returns false if the binding has already ended. */
  async end(bindingId: string, now: number): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      WatchBindingEntity,
      { bindingId, unboundAt: IsNull() },
      { unboundAt: () => `greatest(bound_at, ${Math.trunc(now)})` },
    );
    return affected === 1;
  }

  /** Deletes all bindings of the child. */
  async erase(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(WatchBindingEntity, { cid });
  }

  /** Stores the bind code that the watch shows. Replaces the watch's previous code and resets the number of tries. */
  async replaceCode(code: Omit<BindCodeEntity, 'tries'>): Promise<void> {
    await this.unitOfWork.manager.upsert(BindCodeEntity, { ...code, tries: 0 }, ['did']);
  }

  /**
   * Counts a try before the confirmation code is checked, so that concurrent guesses share the limit of five. Returns
   * undefined if the bind code is unknown, expired or has no try left.
   */
  async incrementCodeTries(codeDigest: Buffer, now: number): Promise<AttemptedBindCode | undefined> {
    const [attempted] = await this.unitOfWork.executor.query<AttemptedBindCode>(INCREMENT_BIND_CODE_TRIES, [
      codeDigest,
      now,
      MAX_TRIES_PER_CODE,
    ]);
    return attempted;
  }

  /** Deletes the code. Exactly one concurrent caller succeeds. */
  async consumeCode(codeDigest: Buffer, confirmDigest: Buffer, now: number): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.delete(BindCodeEntity, {
      codeDigest,
      confirmDigest,
      expiresAt: MoreThan(now),
    });
    return affected === 1;
  }

  async deleteExpiredCodes(now: number): Promise<void> {
    await this.unitOfWork.manager.delete(BindCodeEntity, { expiresAt: LessThanOrEqual(now) });
  }
}
