import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import {
  ContainsIds,
  IntegerField,
  IsName,
  ReferenceField,
  StringField,
  NestedField,
  type FieldOptions,
} from '../../kernel/dto/fields.js';
import { isDisplayable } from '../../kernel/contracts/displayable-text.js';
import { MAX_NAME_BYTES } from '../contracts/content.js';

const MAX_PATH_LENGTH = 4_096;

/**
 * `cloudID`, which is the family's id. Validation accepts any text, so that a malformed id fails like an unknown id.
 */
export function CloudIdField(): PropertyDecorator {
  return ReferenceField({ description: "Id of the cloud, which is the family's id", example: CLOUD_ID_EXAMPLE });
}

/** Id of a folder; an empty or omitted id means the root folder. */
export function FolderIdField(): PropertyDecorator {
  return applyDecorators(
    ContainsIds(),
    StringField({ optional: true, maxLength: 128, description: 'Empty or omitted: the root folder', example: '' }),
  );
}

/** Path of a folder, such as `root:/<catalogID>/<catalogID>`. An empty value is the same as an omitted field. */
export function FolderPathField(description: string): PropertyDecorator {
  return applyDecorators(
    ContainsIds(),
    StringField({ optional: true, maxLength: MAX_PATH_LENGTH, description, example: 'root:' }),
  );
}

/**
 * Type of the cloud; 1 is the family cloud. Validation accepts any number; the service rejects unsupported numbers with
 * a specific reason.
 */
function CloudTypeField(): PropertyDecorator {
  return IntegerField({
    optional: true,
    description: 'Only 1 is supported; `deleteContents` accepts any number',
    example: 1,
  });
}

/**
 * Type of the folder; 3 is a folder of a family cloud. Validation accepts any number; the service rejects unsupported
 * numbers with a specific reason.
 */
function CatalogTypeField(): PropertyDecorator {
  return IntegerField({
    optional: true,
    description: 'Only 3 is supported; `deleteContents` accepts any number',
    example: 3,
  });
}

/** SHA-256 of the bytes of a file, in hexadecimal. */
export function DigestField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({
    pattern: /^[0-9a-fA-F]{64}$/,
    maxLength: 64,
    description: 'SHA-256, hex',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ...options,
  });
}

/**
 * File name: one path segment of 1 to 255 bytes of UTF-8, with a visible character, without separators or control
 * characters.
 */
export function ContentNameField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    IsName(),
    StringField({ minLength: 1, maxLength: MAX_NAME_BYTES, example: 'first day at school.jpg', ...options }),
    ValidateBy({
      name: 'isFileName',
      validator: {
        validate: isValidFileName,
        defaultMessage: () =>
          `$property must be a file name of at most ${MAX_NAME_BYTES} bytes without separators or control characters`,
      },
    }),
  );
}

/** Returns true for a name that is safe as one path segment in any file system, archive or HTTP header. */
export function isValidFileName(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value !== '.' &&
    value !== '..' &&
    isDisplayable(value) &&
    !/[/\\]/.test(value) &&
    Buffer.byteLength(value) <= MAX_NAME_BYTES
  );
}

export const CLOUD_ID_EXAMPLE = '6c4c9b0e-6f4e-4d6c-9a51-0f7c5d2b8e11';
export const CONTENT_ID_EXAMPLE = '0d9f2c1e-9a55-4b1e-8a51-7f3f0c6a4b22';

/** Account information that clients of the family cloud send; the service ignores it. */
export class CommonAccountInfoDto {
  @IntegerField({ optional: true, example: 1 })
  accountType?: number;
}

/** Fields that clients of the family cloud send in every request. */
export class FamilyCloudRequestDto {
  @NestedField(() => CommonAccountInfoDto, { optional: true, description: 'Accepted and ignored' })
  commonAccountInfo?: CommonAccountInfoDto;

  @CloudTypeField()
  cloudType?: number;

  @CatalogTypeField()
  catalogType?: number;
}

/** Selects a page of a list; `pageNum` starts at 1. */
export class PageInfoDto {
  @IntegerField({ optional: true, min: 1, max: 1_000_000, description: '1 by default', example: 1 })
  pageNum?: number;

  @IntegerField({ optional: true, min: 1, max: 200, description: '50 by default', example: 50 })
  pageSize?: number;
}
