import { applyDecorators } from '@nestjs/common';
import {
  AreaCodeField,
  BooleanField,
  UuidField,
  IntegerField,
  IsPhoneNumberText,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
  WatchTimeField,
  EnumField,
  DeviceIdQueryField,
  UnvalidatedListField,
  type FieldOptions,
} from '../../kernel/dto/fields.js';
import { CallingCodeField } from '../../accounts/dto/phone-fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  ALLOWED_NUMBER_TTL_SECONDS,
  MAX_ALLOWED_NUMBERS_PER_CHILD,
  CALLER_NUMBER_PATTERN,
  BLOCK_CAUSE,
  CALL_OUTCOME,
  type BlockCause,
  type CallOutcome,
} from '../contracts/stranger-rule.js';
import { SettingsChangeRequestDto, SettingsStatusDto, SettingsVersionDto } from './settings-status.dto.js';

/** Phone number of a caller in the format of any country, without the country calling code. */
function CallerNumberField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    IsPhoneNumberText(),
    StringField({ pattern: CALLER_NUMBER_PATTERN, maxLength: 15, example: '02155501234', ...options }),
  );
}

/** A phone number that may call the watch although it belongs to no contact. */
export class AllowedNumberDto {
  @UuidField()
  allowId: string;

  @AreaCodeField({ description: 'Country calling code, with +' })
  areaCode: string;

  @CallerNumberField()
  phoneNumber: string;

  @BooleanField({ description: 'Allowed for one call only' })
  once: boolean;

  @UnixMillisecondsField()
  expiresAt: number;
}

export class StrangerRuleDto extends SettingsStatusDto {
  @BooleanField({
    description:
      'Whether the watch blocks calls from numbers that belong to no contact and are not allowed; true by default. ' +
      'Two numbers are the same if their digits are, calling code included, without a 0 in front of the number; ' +
      'without a calling code from the network, only the numbers are compared',
  })
  enabled: boolean;

  @NestedListField(() => AllowedNumberDto, { maxItems: MAX_ALLOWED_NUMBERS_PER_CHILD })
  allowNumbers: AllowedNumberDto[];
}

export class UpdateStrangerRuleDto extends SettingsChangeRequestDto {
  @BooleanField()
  enabled: boolean;
}

export class CreateAllowNumberDto extends SettingsChangeRequestDto {
  @CallingCodeField()
  areaCode: string;

  @CallerNumberField()
  phoneNumber: string;

  @BooleanField({ optional: true, description: 'Allowed for one call only; true by default' })
  once?: boolean;

  @IntegerField({
    optional: true,
    min: ALLOWED_NUMBER_TTL_SECONDS.MIN,
    max: ALLOWED_NUMBER_TTL_SECONDS.MAX,
    example: 3_600,
    description: `Seconds until the number is no longer allowed; ${ALLOWED_NUMBER_TTL_SECONDS.DEFAULT} by default`,
  })
  expiresIn?: number;
}

export class AllowNumberReferenceDto extends SettingsChangeRequestDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  allowId: string;
}

export class AllowNumberChangedDto extends SettingsVersionDto {
  @NestedField(() => AllowedNumberDto)
  allowNumber: AllowedNumberDto;
}

const MAX_REPORTED_CALLS = 100;

/** A call from a number that belongs to no contact. */
export class ReportedCallDto {
  @WatchTimeField({ description: "Time on the watch's clock, since 2015" })
  time: number;

  @AreaCodeField({ optional: true })
  areaCode?: string;

  @CallerNumberField({ optional: true, description: 'Omitted if the caller withheld the number' })
  phoneNumber?: string;

  @EnumField(CALL_OUTCOME, {
    description: 'An ALLOWED call uses up a number that is allowed for one call. Only BLOCKED calls are listed.',
  })
  outcome: CallOutcome;

  @EnumField(BLOCK_CAUSE, { optional: true, description: 'Why the call was blocked; STRANGER by default' })
  cause?: BlockCause;
}

/** Each call is validated separately, so that an invalid one does not reject the others. */
export class BlockedCallReportDto {
  @UnvalidatedListField(() => ReportedCallDto, { minItems: 1, maxItems: MAX_REPORTED_CALLS })
  calls: unknown[];
}

export class BlockedCallDto {
  @UuidField()
  callId: string;

  @UnixMillisecondsField()
  time: number;

  @AreaCodeField({ nullable: true, description: 'Country calling code, with +' })
  areaCode: string | null;

  @CallerNumberField({ nullable: true, description: 'null if the caller withheld the number' })
  phoneNumber: string | null;

  @EnumField(BLOCK_CAUSE)
  cause: BlockCause;
}

export class BlockedCallQueryDto extends PageQueryDto {
  @DeviceIdQueryField()
  did: number;
}

/** One page of blocked calls, newest first. */
export class BlockedCallListDto {
  @NestedListField(() => BlockedCallDto, { maxItems: 200 })
  items: BlockedCallDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}
