import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { StringField } from '../../kernel/dto/fields.js';
import type { FieldOptions } from '../../kernel/dto/fields.js';
import { isImei } from '../contracts/imei.js';

/** IMEI: 15 digits with a valid check digit. The watch claims its IMEI, and the service does not verify it. */
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

/** 32 bytes in base64url without padding: a raw Ed25519 public key. */
export function PublicKeyField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    pattern: /^[\w-]{43}$/,
    maxLength: 43,
    example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    ...options,
  });
}

/** 64 bytes in base64url without padding: an Ed25519 signature. */
export function SignatureField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    pattern: /^[\w-]{86}$/,
    maxLength: 86,
    example: '5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM_rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw',
    ...options,
  });
}

/** A nonce issued by the service; opaque to the watch. */
export function NonceField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 128,
    example: 'AAABoN1xgADo5Zq3m0XwS0VfQ2FtX0ZrX2FtcGxlX25vbmNl',
    ...options,
  });
}
