import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { WatchBindingEntity } from '@family-watch/domain/watches/entities/watch-binding.entity';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

/** Which of the rules about bindings another one would break. */
export type BindingCollision = 'watch_binding_one_child' | 'watch_binding_one_watch' | 'watch_binding_one_imei';

/** As which child a watch acts, or acted. */
export interface EffectiveBinding {
  did: number;
  cid: string;
  familyId: string;
  /** Unix milliseconds. */
  boundAt: number;
  /** The watch was somebody else's before. */
  actedAsAnother: boolean;
}

/** `time` in Unix milliseconds. */
export interface WatchMoment {
  did: number;
  time: number;
}

const STANDING_AT = `
  select standing.*, exists (
           select from userctx.watch_binding former
            where former.did = standing.did and former.cid <> standing.cid and former.bound_at < standing."boundAt"
         ) as "actedAsAnother"
    from unnest($1::bigint[], $2::bigint[]) with ordinality as asked (did, time, place)
    left join lateral (
      select did, cid, family_id as "familyId", bound_at as "boundAt" from userctx.watch_binding
       where did = asked.did and bound_at <= asked.time and (unbound_at is null or unbound_at > asked.time)
       order by bound_at desc
       limit 1) standing on true
   order by asked.place`;

/** Which watch acts as which child, now and before. Times in Unix milliseconds. */
@Injectable()
export class WatchBindingRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findActive(did: number): Promise<WatchBindingEntity | null> {
    return this.unitOfWork.manager.findOneBy(WatchBindingEntity, { did, unboundAt: IsNull() });
  }

  /** The binding that stood at this moment. */
  async findAt(did: number, time: number): Promise<EffectiveBinding | null> {
    const [binding = null] = await this.findAllAt([{ did, time }]);
    return binding;
  }

  /** The same for many moments of watches, in their order. */
  async findAllAt(moments: readonly WatchMoment[]): Promise<(EffectiveBinding | null)[]> {
    const rows = await this.unitOfWork.prepared.query<{
      [Member in keyof EffectiveBinding]: EffectiveBinding[Member] | null;
    }>(STANDING_AT, [moments.map(({ did }) => did), moments.map(({ time }) => time)]);
    return rows.map((row) => (row.cid === null ? null : (row as EffectiveBinding)));
  }

  /**
   * What a new binding would collide with now. Of those that pass this look at the same moment, the unique indexes
   * let one through.
   */
  async findCollision(did: number, cid: string, imei: string): Promise<BindingCollision | undefined> {
    const active = await this.unitOfWork.manager.find(WatchBindingEntity, {
      where: [{ did }, { cid }, { imei }].map((same) => ({ ...same, unboundAt: IsNull() })),
    });
    if (active.some((binding) => binding.did === did)) return 'watch_binding_one_child';
    if (active.some((binding) => binding.cid === cid)) return 'watch_binding_one_watch';
    return active.length > 0 ? 'watch_binding_one_imei' : undefined;
  }

  /** False when an active binding of the same watch, child or IMEI came first. */
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

  /** False when the binding had ended. */
  async end(bindingId: string, now: number): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      WatchBindingEntity,
      { bindingId, unboundAt: IsNull() },
      { unboundAt: () => `greatest(bound_at, ${Math.trunc(now)})` },
    );
    return affected === 1;
  }

  /** Forgets that watches ever acted as this child. */
  async erase(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(WatchBindingEntity, { cid });
  }
}
