import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import {
  BooleanField,
  UuidField,
  IntegerField,
  NameField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  EnumField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { LatitudeField, LongitudeField } from './degrees-fields.js';
import { LocalDatesField, TimeOfDayField, WeekdaysField } from '../../watches/dto/schedule-fields.js';
import {
  FENCE_LIMITS,
  FENCE_EVENT_TYPE,
  type FenceCircle,
  type FenceNotifications,
  type GeoPoint,
  type FencePolygon,
  type AttendanceWindow,
  type FenceEventType,
} from '../contracts/fence.js';

const { corners, dwell, latitude, perChild, radius, windows } = FENCE_LIMITS;

const MAX_VERSION = 2_147_483_647;
const CID_EXAMPLE = '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de';
const SHAPE_RULE = 'Exactly one of circle and polygon is set';
const DWELL_DESCRIPTION = 'Seconds that the child must be inside before DWELLED is reported';
const WINDOWS_DESCRIPTION = "When the child should be inside, in the child's time zone. Windows must not overlap.";
const VERSION_DESCRIPTION = 'The version that the caller has seen; the request fails if a newer version exists';

export class FencePlaceDto implements GeoPoint {
  @LatitudeField({ description: `Degrees WGS 84, −${latitude.max} to ${latitude.max}` })
  latitude: string;

  @LongitudeField()
  longitude: string;
}

export class FenceCircleDto extends FencePlaceDto implements FenceCircle {
  @IntegerField({ ...radius, example: 150, description: 'Metres' })
  radius: number;
}

export class FencePolygonDto implements FencePolygon {
  @NestedListField(() => FencePlaceDto, {
    minItems: corners.min,
    maxItems: corners.max,
    description:
      'The corners in order; the last corner is connected to the first. Edges must not cross or touch each other.',
  })
  points: FencePlaceDto[];
}

export class FenceNotifyDto implements FenceNotifications {
  @BooleanField()
  entered: boolean;

  @BooleanField()
  left: boolean;

  @BooleanField()
  dwelled: boolean;
}

export class AttendanceWindowDto implements AttendanceWindow {
  @WeekdaysField({ description: 'At least one.' })
  weekdays: number[];

  @TimeOfDayField({ example: '07:30' })
  from: string;

  @TimeOfDayField({ description: 'End (exclusive); if before `from`, on the next day', example: '16:00' })
  to: string;

  @LocalDatesField({
    description: 'Dates such as holidays on which the window does not start although the weekday matches',
  })
  skipDates: string[];

  @TimeOfDayField({
    nullable: true,
    description: 'Time within the window at which NOT_ARRIVED is reported if the child is not inside',
  })
  notArrivedBy: string | null;

  @BooleanField({ description: 'Reports LEFT_EARLY if the child leaves within the window' })
  leftEarly: boolean;
}

/** An attendance window in a request. At least one of `notArrivedBy` and `leftEarly` must be set. */
export class AttendanceWindowRequestDto {
  @WeekdaysField({ description: 'At least one.' })
  weekdays: number[];

  @TimeOfDayField({ example: '07:30' })
  from: string;

  @TimeOfDayField({ description: 'End (exclusive); if before `from`, on the next day', example: '16:00' })
  to: string;

  @LocalDatesField({
    optional: true,
    description: 'Dates such as holidays on which the window does not start although the weekday matches',
  })
  skipDates?: string[];

  @TimeOfDayField({
    optional: true,
    nullable: true,
    description: 'Time within the window at which NOT_ARRIVED is reported if the child is not inside',
  })
  notArrivedBy?: string | null;

  @BooleanField({ optional: true, description: 'Reports LEFT_EARLY if the child leaves in the window; default: false' })
  leftEarly?: boolean;
}

export class FenceDto {
  @UuidField()
  fenceId: string;

  @UuidField()
  cid: string;

  @NameField({ example: 'School' })
  name: string;

  @NestedField(() => FenceCircleDto, { nullable: true, description: SHAPE_RULE })
  circle: FenceCircleDto | null;

  @NestedField(() => FencePolygonDto, { nullable: true, description: SHAPE_RULE })
  polygon: FencePolygonDto | null;

  @NestedField(() => FenceNotifyDto)
  notify: FenceNotifyDto;

  /** Dwell time: seconds inside the fence after which DWELLED is reported. */
  @IntegerField({ min: dwell.min, max: dwell.max, description: DWELL_DESCRIPTION })
  dwell: number;

  @NestedListField(() => AttendanceWindowDto, { maxItems: windows, description: WINDOWS_DESCRIPTION })
  windows: AttendanceWindowDto[];

  @BooleanField({ description: 'A disabled fence reports nothing' })
  enabled: boolean;

  /** 1 for a new fence. */
  @IntegerField({ min: 1, max: MAX_VERSION, example: 1, description: 'Increases with every change' })
  version: number;
}

export class FenceListDto {
  @NestedListField(() => FenceDto, { maxItems: perChild, description: 'Oldest first' })
  items: FenceDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}

export class FenceListQueryDto {
  @ReferenceField({ example: CID_EXAMPLE })
  cid: string;
}

/** The fields of a fence that may be omitted both when the fence is created and when it is updated. */
class FenceFieldsDto {
  @NestedField(() => FenceCircleDto, {
    optional: true,
    description: SHAPE_RULE,
    example: { latitude: '31.2304', longitude: '121.4737', radius: 150 },
  })
  circle?: FenceCircleDto;

  @NestedField(() => FencePolygonDto, { optional: true, description: SHAPE_RULE })
  polygon?: FencePolygonDto;

  @NestedField(() => FenceNotifyDto, {
    optional: true,
    description: 'Types of events of which the family is notified; by default entered and left',
  })
  notify?: FenceNotifyDto;

  @IntegerField({
    optional: true,
    min: dwell.min,
    max: dwell.max,
    description: `${DWELL_DESCRIPTION}; ${dwell.default} by default`,
  })
  dwell?: number;

  @NestedListField(() => AttendanceWindowRequestDto, {
    optional: true,
    nullMeans: [],
    maxItems: windows,
    description: WINDOWS_DESCRIPTION,
  })
  windows?: AttendanceWindowRequestDto[];

  @BooleanField({ optional: true, description: 'True by default' })
  enabled?: boolean;
}

export class CreateFenceDto extends FenceFieldsDto {
  @ReferenceField({ example: CID_EXAMPLE })
  cid: string;

  @NameField({ example: 'School' })
  name: string;
}

export class FenceReferenceDto {
  @ReferenceField({ example: CID_EXAMPLE })
  cid: string;

  @ReferenceField({ example: CID_EXAMPLE })
  fenceId: string;

  @IntegerField({ optional: true, min: 1, max: MAX_VERSION, description: VERSION_DESCRIPTION })
  version?: number;
}

/** Omitted fields are unchanged; a new shape replaces the old shape. */
export class UpdateFenceDto extends FenceFieldsDto {
  @ReferenceField({ example: CID_EXAMPLE })
  cid: string;

  @ReferenceField({ example: CID_EXAMPLE })
  fenceId: string;

  @IntegerField({ optional: true, min: 1, max: MAX_VERSION, description: VERSION_DESCRIPTION })
  version?: number;

  @NameField({ optional: true, example: 'School' })
  name?: string;
}

export class FenceEventListQueryDto extends PageQueryDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;
}

/** An event of a fence. */
export class FenceEventDto {
  @UuidField()
  fenceEventId: string;

  @UuidField({ description: 'The fence of the event; it may have been deleted since' })
  fenceId: string;

  @StringField({ example: 'School', description: 'Name of the fence at the time of the event' })
  fenceName: string;

  @EnumField(FENCE_EVENT_TYPE)
  type: FenceEventType;

  @UnixMillisecondsField({
    description: 'Time of the location that caused the event, or the deadline of the attendance window',
  })
  time: number;

  @BooleanField({ description: 'True if the event was detected long after its time' })
  late: boolean;
}

export class FenceEventListDto {
  @NestedListField(() => FenceEventDto, { maxItems: MAX_PAGE_LIMIT, description: 'Newest first' })
  items: FenceEventDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}
