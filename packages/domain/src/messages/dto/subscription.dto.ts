import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsInt, Max, Min } from 'class-validator';
import {
  BooleanField,
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
  TimeZoneField,
  UuidField,
  ReferenceField,
  ValidateIfPresent,
} from '../../kernel/dto/fields.js';
import {
  PUSH_SERVICE,
  SUBSCRIPTION_CATEGORY,
  type PushService,
  type QuietHours,
  type SubscriptionCategory,
  type WebPushKeys,
} from '../contracts/subscription.js';

const MINUTES_PER_DAY = 24 * 60;
const CATEGORY_COUNT = Object.keys(SUBSCRIPTION_CATEGORY).length;

function QuietWeekdaysField(): PropertyDecorator {
  return applyDecorators(
    ValidateIfPresent({ optional: true }),
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
      description: 'Days on which the quiet hours start, 1 Monday to 7 Sunday; if omitted, every day',
    }),
  );
}

/** Times in which only messages of severity URGENT are sent as notifications. */
export class QuietHoursDto implements QuietHours {
  @IntegerField({ min: 0, max: MINUTES_PER_DAY - 1, description: 'Start, as minute of the day', example: 1_320 })
  from!: number;

  @IntegerField({
    min: 0,
    max: MINUTES_PER_DAY - 1,
    description: 'End, as minute of the day; on the next day if not after `from`',
    example: 420,
  })
  to!: number;

  @TimeZoneField()
  timeZone!: string;

  @QuietWeekdaysField()
  weekdays?: number[];
}

/** Preference for the messages of one category. */
export class CategoryPreferenceDto {
  @EnumField(SUBSCRIPTION_CATEGORY)
  category!: SubscriptionCategory;

  @BooleanField({ description: 'Whether messages of the category are added to the message centre' })
  enabled!: boolean;

  @BooleanField({ description: 'Whether notifications of the messages are sent to phones that are not connected' })
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
  @NestedListField(() => CategoryPreferenceDto, { maxItems: CATEGORY_COUNT, description: 'Each category once' })
  categories!: CategoryPreferenceDto[];

  @NestedField(() => QuietHoursDto, { nullable: true })
  quietHours!: QuietHoursDto | null;

  @ApiProperty({
    enum: Object.values(PUSH_SERVICE),
    isArray: true,
    description: 'Push services that this service can use',
  })
  pushServices!: PushService[];

  @StringField({
    nullable: true,
    maxLength: 128,
    description: 'applicationServerKey for WEB_PUSH (RFC 8292), base64url',
  })
  webPushKey!: string | null;
}

/** Omitted fields are unchanged. */
export class UpdateSubscriptionDto {
  @NestedListField(() => ChangedCategoryDto, { optional: true, minItems: 1, maxItems: CATEGORY_COUNT })
  categories?: ChangedCategoryDto[];

  @NestedField(() => QuietHoursDto, { optional: true, nullable: true, description: 'null disables quiet hours' })
  quietHours?: QuietHoursDto | null;
}

const MAX_TOKEN_LENGTH = 2_000;

/** Keys with which notifications for a browser are encrypted (RFC 8291). */
export class WebPushKeysDto implements WebPushKeys {
  @StringField({ minLength: 1, maxLength: 128, description: 'Public key of the browser, P-256, base64url or base64' })
  p256dh!: string;

  @StringField({ minLength: 1, maxLength: 64, description: 'Authentication secret, base64url or base64' })
  auth!: string;
}

/**
 * Registers this session for notifications of one push service, in place of an earlier registration for the same push
 * service.
 */
export class CreatePushTokenDto {
  @EnumField(PUSH_SERVICE)
  service!: PushService;

  @StringField({
    minLength: 1,
    maxLength: MAX_TOKEN_LENGTH,
    description: 'Registration token from the push service; for WEB_PUSH the endpoint of the subscription',
    example: 'https://push.example/send/f3a9',
  })
  token!: string;

  @NestedField(() => WebPushKeysDto, {
    optional: true,
    description: 'Required for WEB_PUSH; not allowed otherwise',
    example: {
      p256dh: 'BIRpqO2Q5vMDO6bQbGe6vfaaNdG8p6zcivTVzkxAsXwlNHOVXKPjIzFIknp3zJKW1gsUTNvQl1NpG1CGzRzPOkE',
      auth: 'L9k46CEnVBKsksI0BJspuQ',
    },
  })
  keys?: WebPushKeysDto;
}

export class PushTokenDto {
  @UuidField()
  tokenId!: string;
}

export class DeletePushTokenDto {
  @ReferenceField()
  tokenId!: string;
}
