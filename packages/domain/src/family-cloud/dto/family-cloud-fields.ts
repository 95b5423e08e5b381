import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { Integer, Reference, Text } from '../../kernel/dto/fields.js';
import type { FieldOptions } from '../../kernel/dto/fields.js';
import { MAX_NAME_BYTES } from '../contracts/content.js';

const MAX_PATH = 4_096;

/** `cloudID`: the family's id; any text is well formed, so that a malformed one answers like an unknown one. */
export function CloudId(): PropertyDecorator {
  return Reference({ description: 'The cloud of a family; the same id', example: CLOUD_EXAMPLE });
}

/** Names a catalog; empty or absent is the root. */
export function CatalogId(): PropertyDecorator {
  return Text({ optional: true, maxLength: 128, description: 'Empty or absent: the root catalog', example: '' });
}

/** `root:/<catalogID>/<catalogID>`; empty or absent means none. */
export function CatalogPath(description: string): PropertyDecorator {
  return Text({ optional: true, maxLength: MAX_PATH, description, example: 'root:' });
}

/** 1 is the family cloud; another number is refused by the service with its own reason. */
export function CloudType(): PropertyDecorator {
  return Integer({ optional: true, description: 'Only 1 is supported', example: 1 });
}

/** 3 is the catalog of a family cloud; another number is refused by the service with its own reason. */
export function CatalogType(): PropertyDecorator {
  return Integer({ optional: true, description: 'Only 3 is supported', example: 3 });
}

/** SHA-256 in hex. */
export function Digest(options: FieldOptions = {}): PropertyDecorator {
  return Text({
    pattern: /^[0-9a-fA-F]{64}$/,
    maxLength: 64,
    description: 'SHA-256, hex',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ...options,
  });
}

/** A file's name: one segment of 1 to 255 bytes of UTF-8, without separators or control characters. */
export function ContentName(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Text({ minLength: 1, maxLength: MAX_NAME_BYTES, example: 'first day at school.jpg', ...options }),
    ValidateBy({
      name: 'isFileName',
      validator: {
        validate: isFileName,
        defaultMessage: () =>
          `$property must be one file name of at most ${MAX_NAME_BYTES} bytes, without separators or control characters`,
      },
    }),
  );
}

/** True for what any file system, archive or header can carry as one name. */
export function isFileName(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value !== '.' &&
    value !== '..' &&
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    !/[/\\\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(value) &&
    Buffer.byteLength(value) <= MAX_NAME_BYTES
  );
}

export const CLOUD_EXAMPLE = '6c4c9b0e-6f4e-4d6c-9a51-0f7c5d2b8e11';
export const CONTENT_EXAMPLE = '0d9f2c1e-9a55-4b1e-8a51-7f3f0c6a4b22';
