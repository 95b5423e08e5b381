import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { NameField, StringField, DeviceIdField, IntegerField, type FieldOptions } from '../../kernel/dto/fields.js';
import { isImei } from '../contracts/watch.js';

/** IMEI: 15 digits with a valid check digit. The service cannot verify that the IMEI belongs to the watch. */
export function ImeiField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    StringField({ pattern: /^\d{15}$/, maxLength: 15, example: '490154203237518', ...options }),
    ValidateBy({
      name: 'isImei',
      validator: {
        validate: (value) => typeof value !== 'string' || isImei(value),
        defaultMessage: () => '$property must be an IMEI with a valid check digit',
      },
    }),
  );
}

/** A raw Ed25519 public key: 32 bytes in base64url without padding. */
export function PublicKeyField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    pattern: /^[\w-]{43}$/,
    maxLength: 43,
    example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    ...options,
  });
}

/** An Ed25519 signature: 64 bytes in base64url without padding. */
export function SignatureField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    pattern: /^[\w-]{86}$/,
    maxLength: 86,
    example: '5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM_rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw',
    ...options,
  });
}

/** A nonce issued by the service. The watch signs it and sends it back unchanged. */
function NonceField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 128,
    example: 'AAABoN1xgADo5Zq3m0XwS0VfQ2FtX0ZrX2FtcGxlX25vbmNl',
    ...options,
  });
}

export class EnrolChallengeRequestDto {
  @PublicKeyField({ description: 'The public key to enrol' })
  publicKey: string;
}

export class ChallengeDto {
  @NonceField({ description: 'Valid for one signature within one minute' })
  nonce: string;

  @StringField({
    example: 'https://watch.example.org',
    description: 'PUBLIC_URL of the service, or `family-watch` if it is not set; part of the text that the watch signs',
  })
  audience: string;
}

export class EnrolRequestDto {
  @ImeiField()
  imei: string;

  @NameField({ maxLength: 64, example: 'W7 Kids' })
  model: string;

  @StringField({ minLength: 1, maxLength: 64, example: '2.4.1' })
  firmwareVersion: string;

  @PublicKeyField()
  publicKey: string;

  @NonceField()
  nonce: string;

  @SignatureField({ description: 'Signature over `family-watch/enrol\\n<audience>\\n<nonce>\\n<imei>`' })
  proof: string;

  @SignatureField({
    optional: true,
    description:
      "Manufacturer's signature over `family-watch/maker\\n<imei>\\n<publicKey>`; required if the service has an " +
      'enrolment list',
  })
  makerSignature?: string;
}

export class EnrolledDto {
  @DeviceIdField({
    description: 'Id of the watch; the same for each enrolment of the key, until the service deletes the watch',
  })
  did: number;
}

export class TokenChallengeRequestDto {
  @DeviceIdField()
  did: number;
}

export class TokenCreateRequestDto {
  @DeviceIdField()
  did: number;

  @NonceField()
  nonce: string;

  @SignatureField({ description: 'Signature over `family-watch/token\\n<audience>\\n<nonce>\\n<did>`' })
  signature: string;
}

export class WatchTokenDto {
  @StringField({ example: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ3YXRjaDoxIn0.c2ln' })
  accessToken: string;

  @StringField({ example: 'Bearer' })
  tokenType: 'Bearer';

  @IntegerField({ min: 1, example: 600, description: 'Seconds until the token expires' })
  expiresIn: number;
}
