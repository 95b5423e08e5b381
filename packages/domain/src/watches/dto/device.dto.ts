import {
  DeviceIdField,
  BooleanField,
  IntegerField,
  NestedListField,
  DeviceIdQueryField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';

export class DeviceQueryDto {
  @DeviceIdQueryField()
  did: number;
}

/** A bound watch as a member of the family sees it. `null` is unknown, which is not 0. */
export class WatchDto {
  @DeviceIdField()
  did: number;

  @ReferenceField({ description: 'The child that the watch acts as' })
  cid: string;

  @ReferenceField()
  familyId: string;

  @StringField({ example: 'W7 Kids' })
  model: string;

  @StringField({ example: '2.4.1' })
  firmwareVersion: string;

  @UnixMillisecondsField()
  boundAt: number;

  @BooleanField({
    nullable: true,
    description: 'Was heard of within twice the heartbeat interval; null: never connected',
  })
  online: boolean | null;

  @UnixMillisecondsField({ nullable: true, description: 'When the watch last said something' })
  lastSeen: number | null;

  @IntegerField({ nullable: true, example: 83, description: 'Per cent' })
  battery: number | null;

  @BooleanField({ nullable: true })
  charging: boolean | null;

  @BooleanField({ nullable: true })
  worn: boolean | null;

  @IntegerField({ nullable: true, example: 3 })
  signal: number | null;

  @IntegerField({ nullable: true, example: 4 })
  signalMax: number | null;

  @IntegerField({ nullable: true, example: 18_254, description: 'Counter of the watch, since it was made or reset' })
  stepTotal: number | null;
}

export class WatchListDto {
  @NestedListField(() => WatchDto, { maxItems: 1_000 })
  items: WatchDto[];

  @StringField({ nullable: true })
  nextCursor: string | null;
}
