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

/** A bound watch as returned to members of the family. `null` means unknown, not 0. */
export class WatchDto {
  @DeviceIdField()
  did: number;

  @ReferenceField({ description: 'The child that the watch is bound to' })
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
    description: 'True if the watch was seen within twice the heartbeat interval; null if it never connected',
  })
  online: boolean | null;

  @UnixMillisecondsField({ nullable: true, description: 'Time of the last message from the watch' })
  lastSeen: number | null;

  @IntegerField({ nullable: true, example: 83, description: 'Per cent' })
  battery: number | null;

  @BooleanField({ nullable: true })
  charging: boolean | null;

  @BooleanField({ nullable: true })
  worn: boolean | null;

  @IntegerField({ nullable: true, example: 3, description: 'Signal level, at most `signalMax`' })
  signal: number | null;

  @IntegerField({ nullable: true, example: 4, description: 'Highest signal level of the watch' })
  signalMax: number | null;

  @IntegerField({ nullable: true, example: 18_254, description: 'Step counter since manufacture or reset' })
  stepTotal: number | null;
}

export class WatchListDto {
  @NestedListField(() => WatchDto, { maxItems: 1_000 })
  items: WatchDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last one' })
  nextCursor: string | null;
}
