import {
  DeviceId,
  Flag,
  Integer,
  NestedList,
  QueryDeviceId,
  Reference,
  Text,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';

export class DeviceQueryDto {
  @QueryDeviceId()
  did: number;
}

/** A bound watch as a member of the family sees it. `null` is unknown, which is not 0. */
export class WatchDto {
  @DeviceId()
  did: number;

  @Reference({ description: 'The child that the watch acts as' })
  cid: string;

  @Reference()
  familyId: string;

  @Text({ example: 'W7 Kids' })
  model: string;

  @Text({ example: '2.4.1' })
  firmwareVersion: string;

  @UnixMilliseconds()
  boundAt: number;

  @Flag({ nullable: true, description: 'Was heard of within twice the heartbeat interval; null: never connected' })
  online: boolean | null;

  @UnixMilliseconds({ nullable: true, description: 'When the watch last said something' })
  lastSeen: number | null;

  @Integer({ nullable: true, example: 83, description: 'Per cent' })
  battery: number | null;

  @Flag({ nullable: true })
  charging: boolean | null;

  @Flag({ nullable: true })
  worn: boolean | null;

  @Integer({ nullable: true, example: 3 })
  signal: number | null;

  @Integer({ nullable: true, example: 4 })
  signalMax: number | null;

  @Integer({ nullable: true, example: 18_254, description: 'Counter of the watch, since it was made or reset' })
  stepTotal: number | null;
}

export class WatchListDto {
  @NestedList(() => WatchDto, { maxItems: 1_000 })
  items: WatchDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
