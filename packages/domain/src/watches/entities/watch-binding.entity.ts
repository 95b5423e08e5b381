import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WatchEntity } from './watch.entity.js';

/** A period in which a watch is bound to a child; `unboundAt` is null while the binding is effective. */
@Entity({ name: 'watch_binding', schema: 'userctx' })
@Check('watch_binding_period', 'unbound_at is null or unbound_at >= bound_at')
@Index('watch_binding_one_child', ['did'], { unique: true, where: 'unbound_at is null' })
@Index('watch_binding_one_watch', ['cid'], { unique: true, where: 'unbound_at is null' })
@Index('watch_binding_one_imei', ['imei'], { unique: true, where: 'unbound_at is null' })
@Index('watch_binding_of_watch', ['did', 'boundAt'])
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'watch_binding_watch', onDelete: 'CASCADE' })
export class WatchBindingEntity {
  @PrimaryColumn({ name: 'binding_id', type: 'uuid', primaryKeyConstraintName: 'watch_binding_pk' })
  bindingId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** The IMEI claimed by the watch when it was bound. */
  @Column({ name: 'imei', type: 'text' })
  imei: string;

  @Column({ name: 'bound_at', type: 'bigint' })
  boundAt: number;

  @Column({ name: 'unbound_at', type: 'bigint', nullable: true })
  unboundAt: number | null;
}
