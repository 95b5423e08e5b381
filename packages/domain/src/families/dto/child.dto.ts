import { ChildAreaCodeField } from '../../accounts/dto/phone-fields.js';
import {
  AreaCodeField,
  ContainsIds,
  DeviceIdField,
  UuidField,
  IntegerField,
  NameField,
  NestedField,
  NestedListField,
  EnumField,
  PhoneNumberField,
  StringField,
  UnixMillisecondsField,
  TimeZoneField,
  ReferenceField,
  type FieldOptions,
} from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import { POINT_TYPE, type Location, type PointType } from '../../locations/contracts/location.js';
import { GENDER, MAX_STEP_GOAL, type Gender } from '../contracts/child.js';

const SIZE_DESCRIPTION = '100 to 200. The interface defines no unit; an app shows the value as the person entered it';

/** The child's watch as GetChild returns it (specification 2.2). */
export class ChildDeviceDto {
  @DeviceIdField()
  did: number;

  @IntegerField({
    min: 0,
    max: 2_147_483_647,
    example: 83,
    description: 'Battery level in per cent; 0 until the watch has reported it',
  })
  battery: number;

  @IntegerField({ min: 0, max: 2_147_483_647, example: 3, description: 'Signal level, at most `signalMax`' })
  signal: number;

  @IntegerField({ min: 0, max: 2_147_483_647, example: 4, description: 'Highest signal level of the watch' })
  signalMax: number;

  /**
   * The ticket restricts the operations that the bearer of an access token may perform and grants no permission itself.
   */
  @StringField({ maxLength: 4_096, description: 'Ticket for the family cloud; valid for at least 30 more minutes' })
  ticket: string;
}

/** Location (specification 2.3). */
export class ChildLocationDto implements Location {
  @StringField({ example: '31.230416', description: 'Decimal degrees, WGS 84' })
  latitude: string;

  @StringField({ example: '121.473701', description: 'Decimal degrees, WGS 84' })
  longitude: string;

  @UnixMillisecondsField()
  positionTime: number;

  @IntegerField({ min: 0, max: 2_147_483_647, example: 25, description: 'Accuracy radius in metres' })
  radius: number;

  @EnumField(POINT_TYPE, { example: 1, description: '0 unknown, 1 GPS, 2 Wi-Fi, 3 cell, 4 IP' })
  pointType: PointType;
}

/** Steps per day; null without a goal. */
function StepGoalField(options: FieldOptions): PropertyDecorator {
  const description = 'Goal of steps per day; null: no goal';
  return IntegerField({ min: 1, max: MAX_STEP_GOAL, example: 8_000, description, ...options });
}

/** An item of GetChild's list (specification 2.1). */
export class ChildDto {
  @UuidField()
  cid: string;

  @IntegerField({
    min: 0,
    max: 2_147_483_647,
    example: 4_210,
    description: "Steps since midnight in the child's time zone",
  })
  stepCount: number;

  @NameField({ example: 'Mia' })
  name: string;

  @StringField({ optional: true, example: 'media/5b1c' })
  avatar?: string;

  @NestedField(() => ChildDeviceDto, { nullable: true, description: 'null while no watch is bound' })
  device: ChildDeviceDto | null;

  @NestedField(() => ChildLocationDto, { nullable: true, description: 'null if unknown or not visible to the caller' })
  lastLocation: ChildLocationDto | null;
}

/** Response of GetChild (specification 4.1). */
export class ChildListDto {
  @NestedListField(() => ChildDto, { maxItems: 10_000 })
  childList: ChildDto[];
}

/** Response of CreateChild (specification 4.1). */
export class CreatedChildDto {
  @UuidField()
  cid: string;
}

/**
 * All fields of a child, for a form that edits the child: those of specification 2.5, `familyId`, `timeZone` and
 * `stepGoal`.
 */
export class ChildDetailDto {
  @UuidField()
  cid: string;

  @UuidField()
  familyId: string;

  @NameField({ example: 'Mia' })
  name: string;

  @PhoneNumberField()
  phoneNumber: string;

  @AreaCodeField({ description: 'Country calling code, with +' })
  areaCode: string;

  @StringField({ optional: true, example: 'media/5b1c' })
  avatar?: string;

  @StringField({ optional: true, example: '2018-05-04' })
  birthday?: string;

  /** What the child calls itself. */
  @NameField({ example: 'Mimi' })
  appellation: string;

  @EnumField(GENDER, { example: 3, description: '0 unknown, 2 man, 3 woman' })
  gender: Gender;

  @IntegerField({ min: 100, max: 200, example: 120, description: SIZE_DESCRIPTION })
  weight: number;

  @IntegerField({ min: 100, max: 200, example: 125, description: SIZE_DESCRIPTION })
  height: number;

  @TimeZoneField()
  timeZone: string;

  @StepGoalField({ nullable: true })
  stepGoal: number | null;
}

/** The child that a watch is bound to, as the watch may show it. */
export class WatchChildDto {
  @UuidField()
  cid: string;

  @NameField({ example: 'Mia' })
  name: string;

  @StringField({ optional: true, example: 'media/5b1c' })
  avatar?: string;

  @TimeZoneField()
  timeZone: string;

  @StepGoalField({ nullable: true })
  stepGoal: number | null;
}

/** A deleted child that its owner can restore. */
export class DeletedChildDto {
  @UuidField()
  cid: string;

  @UuidField({ description: 'A family of the caller, or a family that the caller has dissolved' })
  familyId: string;

  @NameField({ example: 'Mia' })
  name: string;

  @StringField({ optional: true, example: 'media/5b1c' })
  avatar?: string;

  @UnixMillisecondsField()
  deletedAt: number;

  @UnixMillisecondsField({ description: 'Until when the child can be restored' })
  restorableUntil: number;
}

export class DeletedChildPageDto {
  @NestedListField(() => DeletedChildDto, { maxItems: MAX_PAGE_LIMIT })
  items: DeletedChildDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}

const CID_EXAMPLE = '6f1f7a52-9d0a-4b0e-8f2b-0c6f1a9e7d31';

/** Fields of a child that CreateChild and UpdateChild have in common (specification 2.5). */
class ChildFieldsDto {
  @NameField({ example: 'Mia' })
  name: string;

  @PhoneNumberField()
  phoneNumber: string;

  @ChildAreaCodeField()
  areaCode: string;

  @NameField({ example: 'Mimi', description: 'What the child calls itself' })
  appellation: string;

  @EnumField(GENDER, { optional: true, example: 3, description: '0 unknown (default), 2 man, 3 woman' })
  gender?: Gender;

  @IntegerField({ min: 100, max: 200, example: 120, description: SIZE_DESCRIPTION })
  weight: number;

  @IntegerField({ min: 100, max: 200, example: 125, description: SIZE_DESCRIPTION })
  height: number;

  @TimeZoneField({ optional: true, description: "IANA time zone; by default the time zone of the family's owner" })
  timeZone?: string;
}

/** Body of CreateChild (specification 2.5). */
export class CreateChildDto extends ChildFieldsDto {
  @StringField({ optional: true, example: 'media/5b1c' })
  avatar?: string;

  @StringField({ optional: true, maxLength: 64, example: '2018-05-04' })
  birthday?: string;
}

/** Body of UpdateChild (specification 2.5). Omitted optional fields are unchanged. */
export class UpdateChildDto extends ChildFieldsDto {
  @ContainsIds()
  @StringField({ maxLength: 128, example: CID_EXAMPLE })
  cid: string;

  @StringField({ optional: true, nullable: true, description: '`null` removes the picture', example: 'media/5b1c' })
  avatar?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: 64,
    description: '`null` removes the birthday',
    example: '2018-05-04',
  })
  birthday?: string | null;
}

export class ChildReferenceDto {
  @ReferenceField({ example: CID_EXAMPLE })
  cid: string;
}

export class UpdateStepGoalDto extends ChildReferenceDto {
  @StepGoalField({ nullable: true })
  stepGoal: number | null;
}
