import {
  AreaCode,
  Flag,
  Id,
  Integer,
  Nested,
  NestedList,
  Reference,
  Text,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import type { FieldOptions } from '../../kernel/dto/fields.js';
import {
  ALLOW_LIFETIME,
  ALLOW_NUMBER_LIMIT,
  CALLER_AREA_CODE_PATTERN,
  CALLER_NUMBER_PATTERN,
} from '../contracts/stranger-rule.js';
import type { AllowedNumber, StrangerRule } from '../contracts/stranger-rule.js';
import { SettingsChangeRequestDto, SettingsStatusDto, SettingsVersionDto } from './settings-status.dto.js';

/** Number of a caller, without the area code. */
export function CallerNumber(options: FieldOptions = {}): PropertyDecorator {
  return Text({ pattern: CALLER_NUMBER_PATTERN, maxLength: 15, example: '02155501234', ...options });
}

/** Country calling code of a caller; a word never calls, so it cannot be allowed. */
function CallerAreaCode(): PropertyDecorator {
  return Text({ pattern: CALLER_AREA_CODE_PATTERN, maxLength: 7, example: '+86', description: 'With or without +' });
}

export class AllowedNumberDto implements AllowedNumber {
  @Id()
  allowId: string;

  @AreaCode({ description: 'With +' })
  areaCode: string;

  @CallerNumber()
  phoneNumber: string;

  @Flag({ description: 'One call uses it up' })
  once: boolean;

  @UnixMilliseconds()
  expiresAt: number;
}

export class StrangerRuleDto extends SettingsStatusDto implements StrangerRule {
  @Flag({ description: 'Calls from numbers that are neither a contact’s nor allowed are refused; the default' })
  enabled: boolean;

  @NestedList(() => AllowedNumberDto, { maxItems: ALLOW_NUMBER_LIMIT })
  allowNumbers: AllowedNumberDto[];
}

export class UpdateStrangerRuleDto extends SettingsChangeRequestDto {
  @Flag()
  enabled: boolean;
}

export class CreateAllowNumberDto extends SettingsChangeRequestDto {
  @CallerAreaCode()
  areaCode: string;

  @CallerNumber()
  phoneNumber: string;

  @Flag({ optional: true, description: 'One call uses it up; true by default' })
  once?: boolean;

  @Integer({
    ...{ optional: true, min: ALLOW_LIFETIME.MIN, max: ALLOW_LIFETIME.MAX, example: 3_600 },
    description: `Seconds; ${ALLOW_LIFETIME.DEFAULT} by default`,
  })
  expiresIn?: number;
}

export class AllowNumberReferenceDto extends SettingsChangeRequestDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  allowId: string;
}

export class AllowNumberChangedDto extends SettingsVersionDto {
  @Nested(() => AllowedNumberDto)
  allowNumber: AllowedNumberDto;
}
