import { Flag, Id, Integer, Name, Nested, NestedList, Reference, Text } from '../../kernel/dto/fields.js';
import { LATITUDE_PATTERN, LONGITUDE_PATTERN } from '../../locations/contracts/check-point.js';
import { LocalDates, TimeOfDay, Weekdays } from '../../watch-settings/dto/schedule-fields.js';
import { FENCE_LIMITS } from '../contracts/fence.js';
import type { Fence, FenceCircle, FenceNotify, FencePlace, FencePolygon, GuardWindow } from '../contracts/fence.js';

const { corners, dwell, latitude, perChild, radius, windows } = FENCE_LIMITS;

const MAX_VERSION = 2_147_483_647;
const CID = '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de';
const SHAPE = 'Either a circle or a polygon';
const DWELL = 'Seconds inside after which the child has dwelled';
const WINDOWS = "When the child should be inside, in the child's time zone; they do not overlap";
const VERSION = 'The version that the caller has seen; refused when there is a newer one';

export class FencePlaceDto implements FencePlace {
  @Text({
    ...{ pattern: LATITUDE_PATTERN, maxLength: 14, example: '31.2304' },
    description: `Degrees WGS 84, −${latitude.max} to ${latitude.max}`,
  })
  latitude: string;

  @Text({
    ...{ pattern: LONGITUDE_PATTERN, maxLength: 15, example: '121.4737' },
    description: 'Degrees WGS 84, −180 to 180',
  })
  longitude: string;
}

export class FenceCircleDto extends FencePlaceDto implements FenceCircle {
  @Integer({ ...radius, example: 150, description: 'Metres' })
  radius: number;
}

export class FencePolygonDto implements FencePolygon {
  @NestedList(() => FencePlaceDto, {
    ...{ minItems: corners.min, maxItems: corners.max },
    description: 'The corners in their order; the last one is joined to the first. Edges do not cross or touch',
  })
  points: FencePlaceDto[];
}

export class FenceNotifyDto implements FenceNotify {
  @Flag()
  entered: boolean;

  @Flag()
  left: boolean;

  @Flag()
  dwelled: boolean;
}

export class GuardWindowDto implements GuardWindow {
  @Weekdays({ description: 'At least one.' })
  weekdays: number[];

  @TimeOfDay({ example: '07:30' })
  from: string;

  @TimeOfDay({ description: 'The first minute after it; before `from` it is on the next day', example: '16:00' })
  to: string;

  @LocalDates({ description: 'Holidays: days on which it does not start although the weekday fits' })
  skipDates: string[];

  @TimeOfDay({ nullable: true, description: 'Within the window: tells if the child is not inside by then' })
  notArrivedBy: string | null;

  @Flag({ description: 'Tells if the child leaves within the window' })
  leftEarly: boolean;
}

/** A window as it is asked for: it waits for an arrival, or guards against leaving, or both. */
export class GuardWindowRequestDto {
  @Weekdays({ description: 'At least one.' })
  weekdays: number[];

  @TimeOfDay({ example: '07:30' })
  from: string;

  @TimeOfDay({ description: 'The first minute after it; before `from` it is on the next day', example: '16:00' })
  to: string;

  @LocalDates({ optional: true, description: 'Holidays: days on which it does not start although the weekday fits' })
  skipDates?: string[];

  @TimeOfDay({
    ...{ optional: true, nullable: true },
    description: 'Within the window: tells if the child is not inside by then',
  })
  notArrivedBy?: string | null;

  @Flag({ optional: true, description: 'Tells if the child leaves within the window; false by default' })
  leftEarly?: boolean;
}

export class FenceDto implements Fence {
  @Id()
  fenceId: string;

  @Id()
  cid: string;

  @Name({ example: 'School' })
  name: string;

  @Nested(() => FenceCircleDto, { nullable: true, description: SHAPE })
  circle: FenceCircleDto | null;

  @Nested(() => FencePolygonDto, { nullable: true, description: SHAPE })
  polygon: FencePolygonDto | null;

  @Nested(() => FenceNotifyDto)
  notify: FenceNotifyDto;

  @Integer({ min: dwell.min, max: dwell.max, description: DWELL })
  dwell: number;

  @NestedList(() => GuardWindowDto, { maxItems: windows, description: WINDOWS })
  windows: GuardWindowDto[];

  @Flag({ description: 'A fence that is switched off notices nothing' })
  enabled: boolean;

  @Integer({ min: 1, max: MAX_VERSION, example: 1, description: 'Rises with every change' })
  version: number;
}

export class FenceListDto {
  @NestedList(() => FenceDto, { maxItems: perChild, description: 'The oldest first' })
  items: FenceDto[];

  @Text({ nullable: true, description: 'Always null: a child has few fences' })
  nextCursor: string | null;
}

export class FenceListQueryDto {
  @Reference({ example: CID })
  cid: string;
}

/** What may be said of a fence, new or old. */
class FenceFieldsDto {
  @Nested(() => FenceCircleDto, { optional: true, description: SHAPE })
  circle?: FenceCircleDto;

  @Nested(() => FencePolygonDto, { optional: true, description: SHAPE })
  polygon?: FencePolygonDto;

  @Nested(() => FenceNotifyDto, { optional: true, description: 'By default entered and left' })
  notify?: FenceNotifyDto;

  @Integer({
    ...{ optional: true, min: dwell.min, max: dwell.max },
    description: `${DWELL}; ${dwell.preset} by default`,
  })
  dwell?: number;

  @NestedList(() => GuardWindowRequestDto, { optional: true, maxItems: windows, description: WINDOWS })
  windows?: GuardWindowRequestDto[];

  @Flag({ optional: true, description: 'True by default' })
  enabled?: boolean;
}

export class CreateFenceDto extends FenceFieldsDto {
  @Reference({ example: CID })
  cid: string;

  @Name({ example: 'School' })
  name: string;
}

export class FenceReferenceDto {
  @Reference({ example: CID })
  cid: string;

  @Reference({ example: CID })
  fenceId: string;

  @Integer({ optional: true, min: 1, max: MAX_VERSION, description: VERSION })
  version?: number;
}

/** What is present changes; a new shape takes the place of the old one. */
export class UpdateFenceDto extends FenceFieldsDto {
  @Reference({ example: CID })
  cid: string;

  @Reference({ example: CID })
  fenceId: string;

  @Integer({ optional: true, min: 1, max: MAX_VERSION, description: VERSION })
  version?: number;

  @Name({ optional: true, example: 'School' })
  name?: string;
}
