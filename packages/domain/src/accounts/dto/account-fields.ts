import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { AreaCodeField, PhoneNumberField, ReferenceField, StringField } from '../../kernel/dto/fields.js';
import type { FieldOptions } from '../../kernel/dto/fields.js';

/** Area code that a message can be sent to: one to four digits, with or without `+`. */
export function CallingCodeField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    AreaCodeField({ description: 'Country calling code, with or without +', ...options }),
    ValidateBy({
      name: 'isCallingCode',
      validator: {
        validate: (value) => typeof value !== 'string' || /^\+?[1-9]\d{0,3}$/.test(value),
        defaultMessage: () => '$property must be a country calling code of one to four digits',
      },
    }),
  );
}

/** National mobile number of an account (specification 2.5). */
export function AccountPhoneNumberField(options: FieldOptions = {}): PropertyDecorator {
  return PhoneNumberField({ description: 'Mobile number of the account', ...options });
}

/** The `challengeId` that `sms-code/send` answered; an unknown one is refused exactly like a wrong code. */
export function ChallengeIdField(options: FieldOptions = {}): PropertyDecorator {
  return ReferenceField({
    description: 'challengeId of sms-code/send',
    example: '5f0c6c9e-6b0a-4d0e-9f55-0d6f2a7c1b11',
    ...options,
  });
}

/** The six digits of a message; other texts are well formed and simply wrong. */
export function SmsCodeField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 16,
    description: 'The six digits of the message',
    example: '402913',
    ...options,
  });
}

/** A password that is being chosen: 8 to 128 characters, and not easy to guess. */
export function NewPasswordField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 8,
    maxLength: 128,
    description: 'At least 8 characters; common and guessable ones are refused',
    example: 'zebra-piano-41-rain',
    ...options,
  });
}

/** A password that is being checked; no rule but a bound, because rules change and old passwords stay. */
export function CurrentPasswordField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 128,
    description: 'The password of the account',
    example: 'zebra-piano-41-rain',
    ...options,
  });
}

/** A refresh token as `sign-in` gave it. */
export function RefreshTokenField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 128,
    description: 'Opaque; good for one use',
    example: 'vQ3m0wM0q2Hq8rI8m4Jw7o6b7qk0M5pYx1c2T9aZ3fE',
    ...options,
  });
}
