import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { BooleanField, NameField, ReferenceField, StringField, type FieldOptions } from '../../kernel/dto/fields.js';
import { MAX_DEVICE_NAME_LENGTH } from '../contracts/account.js';

/**
 * The `challengeId` that `sms-code/send` returned. The service rejects an unknown `challengeId` like an incorrect code.
 */
export function ChallengeIdField(options: FieldOptions = {}): PropertyDecorator {
  return ReferenceField({
    description: '`challengeId` returned by `sms-code/send`',
    example: '5f0c6c9e-6b0a-4d0e-9f55-0d6f2a7c1b11',
    ...options,
  });
}

/**
 * The six digits of an SMS code. Validation accepts any text of 1 to 16 characters, so that a malformed code fails like
 * an incorrect code.
 */
export function SmsCodeField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 16,
    description: 'The six digits of the SMS',
    example: '402913',
    ...options,
  });
}

const MAX_PASSWORD_LENGTH = 128;
/** Number of characters to which a device may decompose one character of a password (Unicode's NFD). */
const MAX_DECOMPOSED_LENGTH = 4;

/**
 * A new password: 8 to 128 characters in Unicode's normalization form NFKC, in which it is also compared; not easy to
 * guess.
 */
export function NewPasswordField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.normalize('NFKC') : value)),
    StringField({
      minLength: 8,
      maxLength: MAX_PASSWORD_LENGTH,
      description: 'At least 8 characters. Common and easily guessed passwords are rejected.',
      example: 'zebra-piano-41-rain',
      ...options,
    }),
  );
}

/** The current password. Validation limits only the length, because older passwords may violate newer rules. */
export function CurrentPasswordField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH * MAX_DECOMPOSED_LENGTH,
    description: 'The current password of the account',
    example: 'zebra-piano-41-rain',
    ...options,
  });
}

/** The token that the service returned at an earlier sign-in, which proves that the account was used on this device. */
export function DeviceTokenField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 128,
    description:
      '`deviceToken` of an earlier sign-in on this device. With the token, the attempts of this device are limited ' +
      'separately from those of other devices. Store the token until the app is uninstalled, also after sign-out.',
    example: 'lX0Yb3qYQ0yq0m3c3k2Y9QpVw6m1TkCk7f2d0mXU1rF2m8Q4b1hXn9a0R7cV5sJz',
    ...options,
  });
}

/** A name by which the person recognises the device, such as the name in the settings of the phone. */
export function DeviceNameField(options: FieldOptions = {}): PropertyDecorator {
  return NameField({
    maxLength: MAX_DEVICE_NAME_LENGTH,
    description: 'Name by which the person recognises the device',
    example: 'Anna’s phone',
    ...options,
  });
}

/** A refresh token returned by `sign-in` or `token/refresh`. */
export function RefreshTokenField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 128,
    description: 'Opaque refresh token; valid for one use',
    example: 'vQ3m0wM0q2Hq8rI8m4Jw7o6b7qk0M5pYx1c2T9aZ3fE',
    ...options,
  });
}

/** Requests that the refresh token is stored in a cookie instead of being returned. */
export function RefreshTokenCookieField(): PropertyDecorator {
  return BooleanField({
    optional: true,
    description:
      'For web pages of the service. With `true`, the refresh token is stored in a cookie (HttpOnly, SameSite=Strict) ' +
      'that scripts cannot read, and the response contains no `refreshToken`.',
  });
}

/** The token of a sign-in link. The service rejects a malformed token like an unknown one. */
export function SignInLinkTokenField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 128,
    description: 'Token after `#token=` in a sign-in link that the operator created; valid once',
    example: 'q3B0u8fJv1m2kY5s7XcZr9T0wQ4eLhN6pDaGxVbMiKo',
    ...options,
  });
}
