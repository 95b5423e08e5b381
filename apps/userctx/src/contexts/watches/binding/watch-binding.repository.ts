import { Injectable } from '@nestjs/common';
import { IsNull, LessThanOrEqual } from 'typeorm';
import { WatchBindingEntity, BindCodeEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

/** The uniqueness rule that a new binding would violate. */
export type BindingCollision = 'watch_binding_one_child' | 'watch_binding_one_watch' | 'watch_binding_one_imei';

/** The child that a watch acts as, or acted as. */
export interface EffectiveBinding extends Pick<WatchBindingEntity, 'did' | 'cid' | 'familyId' | 'boundAt'> {
  /** Whether the watch was bound to another child before. */
  wasBoundToOtherChild: boolean;
}

/** `time`: Unix milliseconds. */
export interface WatchMoment {
  did: number;
  time: number;
}

/** Lateral and prepared: every batch of location reports needs the bindings of its watches. */
const FIND_EFFECTIVE = `
  select effective.*, exists (
           select from userctx.watch_binding former
            where former.did = effective.did and former.cid <> effective.cid and former.bound_at < effective."boundAt"
         ) as "wasBoundToOtherChild"
    from unnest($1::bigint[], $2::bigint[]) with ordinality as input (did, time, ordinal)
    left join lateral (
      select did, cid, family_id as "familyId", bound_at as "boundAt" from userctx.watch_binding
       where did = input.did and bound_at <= input.time and (unbound_at is null or unbound_at > input.time)
       order by bound_at desc
       limit 1) effective on true
   order by input.ordinal`;

const MAX_TRIES = 5;

/** A valid bind code of which the caller has sent the long half (128 random bits). */
export type AttemptedBindCode = Pick<BindCodeEntity, 'did' | 'confirmDigest'>;

/**
 * Stores which watch acts as which child, now and in the past, and the codes by which a watch can be bound. Times are
 * Unix milliseconds.
 */
@Injectable()
export class WatchBindingRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findActive(did: number): Promise<WatchBindingEntity | null> {
    return this.unitOfWork.manager.findOneBy(WatchBindingEntity, { did, unboundAt: IsNull() });
  }

  /** Returns the binding that was effective at this time. */
  async findAt(did: number, time: number): Promise<EffectiveBinding | null> {
    const [binding = null] = await this.findAllAt([{ did, time }]);
    return binding;
  }

  /** Returns the effective binding for each watch and time, in the order of `moments`. */
  async findAllAt(moments: readonly WatchMoment[]): Promise<(EffectiveBinding | null)[]> {
    const rows = await this.unitOfWork.prepared.query<{
      [Member in keyof EffectiveBinding]: EffectiveBinding[Member] | null;
    }>(FIND_EFFECTIVE, columnsOf(moments, 'did', 'time'));
    return rows.map((row) => (row.cid === null ? null : (row as EffectiveBinding)));
  }

  /**
   * Returns the uniqueness rule that a new binding would violate now. If concurrent bindings pass this check, the
   * unique indexes let one of them succeed.
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
  async add(binding: WatchBindingEntity): Promise<boolean> {
    const added = await this.unitOfWork.executor.query(
      `insert into userctx.watch_binding (binding_id, did, cid, family_id, imei, bound_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing
       returning 1`,
      [binding.bindingId, binding.did, binding.cid, binding.familyId, binding.imei, binding.boundAt],
    );
    return added.length === 1;
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

  /** Stores the watch's current code, which replaces the previous one and starts with no counted tries. */
  async replaceCode(code: Omit<BindCodeEntity, 'tries'>): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.bind_code (did, code_digest, confirm_digest, expires_at) values ($1, $2, $3, $4)
       on conflict (did) do update
         set code_digest = excluded.code_digest, confirm_digest = excluded.confirm_digest,
             expires_at = excluded.expires_at, tries = 0`,
      [code.did, code.codeDigest, code.confirmDigest, code.expiresAt],
    );
  }

  /**
   * Counts a try before the code is checked, so that concurrent guesses share the limit of five. Returns undefined if
   * the code has no try left.
   */
  async incrementCodeTries(codeDigest: Buffer, now: number): Promise<AttemptedBindCode | undefined> {
    const [attempted] = await this.unitOfWork.executor.query<AttemptedBindCode>(
      `update userctx.bind_code set tries = tries + 1
        where code_digest = $1 and expires_at > $2 and tries < $3
       returning did, confirm_digest as "confirmDigest"`,
      [codeDigest, now, MAX_TRIES],
    );
    return attempted;
  }

  /** Deletes the code. Exactly one concurrent caller succeeds. */
  async consumeCode(codeDigest: Buffer, confirmDigest: Buffer, now: number): Promise<boolean> {
    const consumed = await this.unitOfWork.executor.query(
      `delete from userctx.bind_code where code_digest = $1 and confirm_digest = $2 and expires_at > $3 returning 1`,
      [codeDigest, confirmDigest, now],
    );
    return consumed.length === 1;
  }

  async deleteExpiredCodes(now: number): Promise<void> {
    await this.unitOfWork.manager.delete(BindCodeEntity, { expiresAt: LessThanOrEqual(now) });
  }
}
