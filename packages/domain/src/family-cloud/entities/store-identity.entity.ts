import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'store_mark', schema: 'mcdisk' })
@Check('store_mark_single', 'id = 1')
export class StoreIdentityEntity {
  @PrimaryColumn({ name: 'id', type: 'smallint', default: 1, primaryKeyConstraintName: 'store_mark_pkey' })
  id: number;

  @Column({ name: 'store_id', type: 'uuid' })
  storeId: string;

  @Column({ name: 'generation', type: 'bigint' })
  generation: number;

  @Column({ name: 'marked_at', type: 'bigint' })
  markedAt: number;
}
