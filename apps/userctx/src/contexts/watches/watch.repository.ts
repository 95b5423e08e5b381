import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { WatchEntity } from '@family-watch/domain/watches/entities/watch.entity';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';

/** Watches by what names them: their key, and the `did` that belongs to it. Times in Unix milliseconds. */
@Injectable()
export class WatchRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findByKey(publicKey: Buffer): Promise<WatchEntity | null> {
    return this.unitOfWork.manager.findOneBy(WatchEntity, { publicKey });
  }

  find(did: number): Promise<WatchEntity | null> {
    return this.unitOfWork.manager.findOneBy(WatchEntity, { did });
  }

  /** False when the key or the `did` is taken. */
  async add(watch: WatchEntity): Promise<boolean> {
    const inserted = await this.unitOfWork.executor.query(
      `insert into userctx.watch
         (did, public_key, imei, model, firmware_version, enrolled_at, last_contact_at, revoked_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict do nothing
       returning did`,
      [
        watch.did,
        watch.publicKey,
        watch.imei,
        watch.model,
        watch.firmwareVersion,
        watch.enrolledAt,
        watch.lastContactAt,
        watch.revokedAt,
      ],
    );
    return inserted.length === 1;
  }

  async updateDetails(did: number, facts: Pick<WatchEntity, 'imei' | 'model' | 'firmwareVersion'>): Promise<void> {
    await this.unitOfWork.manager.update(WatchEntity, { did }, facts);
  }

  /** Notes that the watch was heard, and locks its row until the unit ends. False when there is none, or its key is revoked. */
  async recordContact(did: number, now: number): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      WatchEntity,
      { did, revokedAt: IsNull() },
      { lastContactAt: () => `greatest(last_contact_at, ${Math.trunc(now)})` },
    );
    return affected === 1;
  }

  /** False when there is no such watch or its key was revoked before. */
  async revoke(did: number, now: number): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      WatchEntity,
      { did, revokedAt: IsNull() },
      { revokedAt: now },
    );
    return affected === 1;
  }

  /**
   * Deletes unbound watches that were not heard since `before`. Revoked ones stay, or their keys could enrol again.
   * Binding touches the watch, so that one that is being bound right now is not among them.
   */
  async deleteUnbound(before: number, limit: number): Promise<number> {
    const forgotten = await this.unitOfWork.executor.query(
      `delete from userctx.watch
        where did in (
          select did from userctx.watch w
           where last_contact_at < $1 and revoked_at is null
             and not exists (select from userctx.watch_binding b where b.did = w.did and b.unbound_at is null)
           order by did limit $2)
          and last_contact_at < $1
       returning did`,
      [before, limit],
    );
    return forgotten.length;
  }
}
