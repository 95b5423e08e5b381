import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsInt, Max, Min, ValidateIf } from 'class-validator';
import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
} from '../../kernel/dto/fields.js';
import { TimeZoneField } from '../../kernel/dto/time-zone.js';
import { PUSH_SERVICE } from '../contracts/push.js';
import type { PushService } from '../contracts/push.js';
import { SUBSCRIPTION_CATEGORY } from '../contracts/subscription.js';
import type { QuietHours, SubscriptionCategory } from '../contracts/subscription.js';

const MINUTES_A_DAY = 24 * 60;
const CATEGORIES = Object.keys(SUBSCRIPTION_CATEGORY).length;

function Weekdays(): PropertyDecorator {
  return applyDecorators(
    ValidateIf((_, value) => value !== undefined),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(7),
    ArrayUnique(),
    IsInt({ each: true }),
    Min(1, { each: true }),
    Max(7, { each: true }),
    ApiProperty({
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 7 },
      required: false,
      description: 'Days on which it begins, 1 Monday to 7 Sunday; absent means every day',
    }),
  );
}

/** When nothing but URGENT is pushed. */
export class QuietHoursDto implements QuietHours {
  @IntegerField({ min: 0, max: MINUTES_A_DAY - 1, description: 'Minute of the day it begins at', example: 1_320 })
  from!: number;

  @IntegerField({
    min: 0,
    max: MINUTES_A_DAY - 1,
    description: 'Minute of the day it ends at, on the next day if not after `from`',
    example: 420,
  })
  to!: number;

  @TimeZoneField()
  timeZone!: string;

  @Weekdays()
  weekdays?: number[];
}

/** What a person wants to hear of one category. */
export class CategoryChoiceDto {
  @EnumField(SUBSCRIPTION_CATEGORY)
  category!: SubscriptionCategory;

  @BooleanField({ description: 'It comes into the message centre' })
  enabled!: boolean;

  @BooleanField({ description: 'It also reaches phones that are not connected' })
  push!: boolean;
}

export class ChangedCategoryDto {
  @EnumField(SUBSCRIPTION_CATEGORY)
  category!: SubscriptionCategory;

  @BooleanField({ optional: true, description: 'Cannot be false for SOS' })
  enabled?: boolean;

  @BooleanField({ optional: true, description: 'Cannot be false for SOS' })
  push?: boolean;
}

export class SubscriptionDto {
  @NestedListField(() => CategoryChoiceDto, { maxItems: CATEGORIES, description: 'Every category once' })
  categories!: CategoryChoiceDto[];

  @NestedField(() => QuietHoursDto, { nullable: true })
  quietHours!: QuietHoursDto | null;

  @ApiProperty({ enum: Object.values(PUSH_SERVICE), isArray: true, description: 'Push services that can be used here' })
  pushServices!: PushService[];

  @StringField({
    nullable: true,
    maxLength: 128,
    description: 'applicationServerKey for WEB_PUSH (RFC 8292), base64url',
  })
  webPushKey!: string | null;
}

/** What is absent stays as it is. */
export class UpdateSubscriptionDto {
  @NestedListField(() => ChangedCategoryDto, { optional: true, minItems: 1, maxItems: CATEGORIES })
  categories?: ChangedCategoryDto[];

  @NestedField(() => QuietHoursDto, { optional: true, nullable: true, description: 'null: none' })
  quietHours?: QuietHoursDto | null;
}
