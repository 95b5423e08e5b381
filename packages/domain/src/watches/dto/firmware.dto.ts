import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, Max, Min, ValidateBy } from 'class-validator';
import {
  BooleanField,
  DeviceIdField,
  EnumField,
  IntegerField,
  NameField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  StringListField,
  UnixMillisecondsField,
  UuidField,
  ValidateIfPresent,
  type FieldOptions,
} from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { SignatureField } from './enrolment.dto.js';
import {
  DEPLOYMENT_STATE,
  FIRMWARE_IMAGE_STATE,
  FIRMWARE_LIMITS,
  FIRMWARE_VERSION_PATTERN,
  MAX_UPDATE_FAILURES,
  REPORTED_DEPLOYMENT_STATE,
  ROLLOUT_ACTION,
  ROLLOUT_ERROR_ACTION,
  ROLLOUT_STATE,
  UPDATE_CONDITION,
  type DeploymentState,
  type FirmwareImageState,
  type ReportedDeploymentState,
  type RolloutAction,
  type RolloutErrorAction,
  type RolloutState,
  type UpdateCondition,
} from '../contracts/firmware.js';

/** A line break would make the text that the signature covers ambiguous. */
function ModelField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({ minLength: 1, maxLength: 64, pattern: /^.+$/, example: 'W7 Kids', ...options });
}

function VersionField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    pattern: FIRMWARE_VERSION_PATTERN,
    maxLength: 64,
    example: '2.5.0',
    description: 'One to four numbers separated by dots; a newer version has higher numbers',
    ...options,
  });
}

function DigestField(): PropertyDecorator {
  return StringField({
    pattern: /^[0-9a-f]{64}$/,
    maxLength: 64,
    description: 'SHA-256 of the image, lower-case hex',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  });
}

function SizeField(): PropertyDecorator {
  return IntegerField({ min: 1, max: FIRMWARE_LIMITS.imageBytes, description: 'Bytes', example: 8_388_608 });
}

function KeyIdField(): PropertyDecorator {
  return StringField({
    pattern: /^[\w.-]{1,32}$/,
    maxLength: 32,
    description: 'Name of the public key that verifies the signature',
    example: 'release-2026',
  });
}

const SIGNED_TEXT = 'Signature over `family-watch/firmware\\n<model>\\n<version>\\n<size>\\n<digest>`';

export class FirmwareImageReferenceDto {
  @ReferenceField()
  imageId: string;
}

export class CreateFirmwareImageDto {
  @ModelField({ description: 'Model with which watches enrol' })
  model: string;

  @VersionField()
  version: string;

  @SizeField()
  size: number;

  @DigestField()
  digest: string;

  @SignatureField({ description: SIGNED_TEXT })
  signature: string;

  @KeyIdField()
  keyId: string;
}

export class FirmwareImageDto extends CreateFirmwareImageDto {
  @UuidField()
  imageId: string;

  @EnumField(FIRMWARE_IMAGE_STATE)
  state: FirmwareImageState;

  @UnixMillisecondsField()
  createdAt: number;
}

export class FirmwareImageUploadDto {
  @UuidField()
  imageId: string;

  @StringField({
    nullable: true,
    description: 'URL that accepts the bytes of the image by PUT; null if the service already has the bytes',
    example: 'https://watch.example.org/app-api/mcdisk/firmware/image?ticket=eyJhbGciOiJFZERTQSJ9',
  })
  uploadUrl: string | null;

  @IntegerField({ min: 1, example: 300, description: 'Seconds in which the upload must begin' })
  expiresIn: number;
}

export class FirmwareImageListQueryDto extends PageQueryDto {
  @ModelField({ optional: true, description: 'Returns only images for this model' })
  model?: string;
}

export class FirmwareImageListDto {
  @NestedListField(() => FirmwareImageDto, { maxItems: 200 })
  items: FirmwareImageDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor: string | null;
}

function GroupNameField(): PropertyDecorator {
  return NameField({ maxLength: 64, example: 'testers' });
}

export class CreateFirmwareGroupDto {
  @GroupNameField()
  name: string;
}

export class FirmwareGroupReferenceDto {
  @ReferenceField()
  groupId: string;
}

export class FirmwareGroupDto {
  @UuidField()
  groupId: string;

  @GroupNameField()
  name: string;

  @UnixMillisecondsField()
  createdAt: number;
}

export class FirmwareGroupListDto {
  @NestedListField(() => FirmwareGroupDto, { maxItems: FIRMWARE_LIMITS.groups })
  items: FirmwareGroupDto[];
}

function DeviceIdListField({ minItems, maxItems }: { minItems: number; maxItems: number }): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMinSize(minItems),
    ArrayMaxSize(maxItems),
    IsInt({ each: true }),
    Min(1, { each: true }),
    Max(Number.MAX_SAFE_INTEGER, { each: true }),
    ApiProperty({
      type: 'array',
      items: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      minItems,
      maxItems,
      example: [7_312_904_418_220_331],
    }),
  );
}

export class FirmwareGroupWatchesDto extends FirmwareGroupReferenceDto {
  @DeviceIdListField({ minItems: 1, maxItems: FIRMWARE_LIMITS.watchesPerRequest })
  dids: number[];
}

export class ChangedWatchesDto {
  @IntegerField({ min: 0, description: 'Number of watches that were added or removed', example: 2 })
  changed: number;
}

export class FirmwareGroupWatchListQueryDto extends PageQueryDto {
  @ReferenceField()
  groupId: string;
}

export class FirmwareGroupWatchListDto {
  @DeviceIdListField({ minItems: 0, maxItems: MAX_PAGE_LIMIT })
  items: number[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor: string | null;
}

const isWaves = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= FIRMWARE_LIMITS.waves &&
  value.every((percent, index) => Number.isInteger(percent) && percent > Number(value[index - 1] ?? 0)) &&
  value.at(-1) === 100;

/** Ascending percentages, the last one 100. */
function WavesField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIfPresent(options),
    ValidateBy({
      name: 'isWaves',
      validator: {
        validate: isWaves,
        defaultMessage: () =>
          `$property must be ascending percentages that end with 100, at most ${FIRMWARE_LIMITS.waves}`,
      },
    }),
    ApiProperty({
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 100 },
      minItems: 1,
      maxItems: FIRMWARE_LIMITS.waves,
      required: options.optional !== true,
      description: 'Percentage of the watches up to and including each wave',
      example: [1, 10, 50, 100],
    }),
  );
}

function PercentField(options: FieldOptions): PropertyDecorator {
  return IntegerField({ min: 1, max: 100, ...options });
}

export class CreateRolloutDto {
  @ReferenceField()
  imageId: string;

  @ReferenceField({ optional: true, description: "Absent: all watches of the image's model" })
  groupId?: string;

  @WavesField({ optional: true })
  waves?: number[];

  @PercentField({
    optional: true,
    description:
      'Percentage of the watches of a wave that must have succeeded before the next wave begins; 90 by default',
    example: 90,
  })
  successThreshold?: number;

  @PercentField({
    optional: true,
    description:
      'Percentage of the watches of a wave with a failed update at which `errorAction` is taken; 5 by default',
    example: 5,
  })
  errorThreshold?: number;

  @EnumField(ROLLOUT_ERROR_ACTION, { optional: true, description: 'PAUSE by default' })
  errorAction?: RolloutErrorAction;

  @IntegerField({
    optional: true,
    min: 0,
    max: 100,
    description: 'Minimum battery level in per cent; 40 by default',
    example: 40,
  })
  minBattery?: number;

  @BooleanField({ optional: true, description: 'Whether the watch must be charging; false by default' })
  requiresCharging?: boolean;

  @BooleanField({ optional: true, description: 'Whether updates wait for the end of school time; true by default' })
  avoidsSchoolTime?: boolean;

  @UnixMillisecondsField({ optional: true, description: 'When the rollout starts; absent: an operator starts it' })
  startAt?: number;
}

export class RolloutReferenceDto {
  @ReferenceField()
  rolloutId: string;
}

export class ChangeRolloutDto extends RolloutReferenceDto {
  @EnumField(ROLLOUT_ACTION)
  action: RolloutAction;
}

export class RolloutDto {
  @UuidField()
  rolloutId: string;

  @UuidField()
  imageId: string;

  @UuidField({ nullable: true, description: "Null for all watches of the image's model" })
  groupId: string | null;

  @EnumField(ROLLOUT_STATE)
  state: RolloutState;

  @WavesField()
  waves: number[];

  @IntegerField({ min: 1, max: FIRMWARE_LIMITS.waves, description: 'The last active wave, counted from 1', example: 2 })
  currentWave: number;

  @PercentField({ example: 90 })
  successThreshold: number;

  @PercentField({ example: 5 })
  errorThreshold: number;

  @EnumField(ROLLOUT_ERROR_ACTION)
  errorAction: RolloutErrorAction;

  @IntegerField({ min: 0, max: 100, example: 40 })
  minBattery: number;

  @BooleanField()
  requiresCharging: boolean;

  @BooleanField()
  avoidsSchoolTime: boolean;

  @UnixMillisecondsField()
  createdAt: number;

  @UnixMillisecondsField({ nullable: true })
  startAt: number | null;

  @UnixMillisecondsField({ description: 'When state or wave changed last' })
  changedAt: number;
}

export class RolloutListDto {
  @NestedListField(() => RolloutDto, { maxItems: 200 })
  items: RolloutDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor: string | null;
}

/** The watches of one wave. */
export class WaveProgressDto {
  @IntegerField({ min: 1, description: 'Counted from 1', example: 1 })
  wave: number;

  @IntegerField({ min: 0, example: 100 })
  watches: number;

  @IntegerField({ min: 0, description: 'Watches that have the version or a newer one', example: 90 })
  succeeded: number;

  @IntegerField({ min: 0, description: 'Watches with a failed attempt, and watches that refuse the image', example: 2 })
  failed: number;

  @IntegerField({ min: 0, description: 'Watches that download or install', example: 3 })
  inProgress: number;
}

export class RolloutProgressDto extends RolloutDto {
  @NestedListField(() => WaveProgressDto, { maxItems: FIRMWARE_LIMITS.waves })
  progress: WaveProgressDto[];
}

export class DeploymentListQueryDto extends PageQueryDto {
  @ReferenceField()
  rolloutId: string;

  @EnumField(DEPLOYMENT_STATE, { optional: true, description: 'Returns only updates in this state' })
  state?: DeploymentState;
}

export class DeploymentDto {
  @DeviceIdField()
  did: number;

  @IntegerField({ min: 1, example: 1 })
  wave: number;

  @EnumField(DEPLOYMENT_STATE)
  state: DeploymentState;

  @IntegerField({ min: 0, description: 'Number of failed attempts', example: 0 })
  failures: number;

  @UnixMillisecondsField()
  changedAt: number;

  @StringField({ nullable: true, description: 'What the watch reported about its last failure' })
  error: string | null;
}

export class DeploymentListDto {
  @NestedListField(() => DeploymentDto, { maxItems: 200 })
  items: DeploymentDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor: string | null;
}

export class FirmwareCheckRequestDto {
  @StringField({ minLength: 1, maxLength: 64, description: 'Version that the watch runs', example: '2.4.1' })
  firmwareVersion: string;

  @IntegerField({ min: 0, max: 100, description: 'Battery in per cent', example: 80 })
  battery: number;

  @BooleanField({ description: 'Whether the watch is charging' })
  charging: boolean;
}

/** An image that the watch may install now. The watch verifies size, digest and signature before it installs. */
export class FirmwareUpdateDto {
  @UuidField({ description: 'Names the update in reports' })
  deploymentId: string;

  @IntegerField({ min: 1, max: MAX_UPDATE_FAILURES, description: 'Number of the attempt, for reports', example: 1 })
  attempt: number;

  @VersionField()
  version: string;

  @SizeField()
  size: number;

  @DigestField()
  digest: string;

  @SignatureField({ description: SIGNED_TEXT })
  signature: string;

  @KeyIdField()
  keyId: string;

  @StringField({
    description:
      'URL of the image, which supports Range; an interrupted download continues at the URL of the next check',
    example: 'https://watch.example.org/app-api/mcdisk/firmware/image?ticket=eyJhbGciOiJFZERTQSJ9',
  })
  downloadUrl: string;

  @IntegerField({ min: 1, example: 300, description: 'Seconds in which a download must begin' })
  expiresIn: number;
}

export class FirmwareCheckDto {
  @NestedField(() => FirmwareUpdateDto, { nullable: true, description: 'Null if the watch must not update now' })
  update: FirmwareUpdateDto | null;

  @StringListField({
    maxItems: Object.keys(UPDATE_CONDITION).length,
    description: `Conditions of an available update that are not fulfilled: ${Object.values(UPDATE_CONDITION).join(', ')}`,
    example: ['CHARGING'],
  })
  missingConditions: UpdateCondition[];

  @IntegerField({ min: 1, description: 'Seconds after which the watch checks again', example: 86_400 })
  retryAfter: number;
}

export class FirmwareReportDto {
  @ReferenceField({ description: 'From the check' })
  deploymentId: string;

  @IntegerField({ min: 1, max: MAX_UPDATE_FAILURES, description: 'From the check', example: 1 })
  attempt: number;

  @EnumField(REPORTED_DEPLOYMENT_STATE)
  state: ReportedDeploymentState;

  @StringField({
    optional: true,
    maxLength: FIRMWARE_LIMITS.errorLength,
    description: 'What went wrong, for operators; without personal data',
    example: 'flash write error at 0x1f000',
  })
  error?: string;
}
