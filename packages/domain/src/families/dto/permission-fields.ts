import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, ValidateBy, ValidateIf } from 'class-validator';
import type { FieldOptions } from '../../kernel/dto/fields.js';
import { FAMILY_LIMITS } from '../contracts/family-limits.js';
import { CHILD_PERMISSION } from '../contracts/family-role.js';

const PERMISSION_NAMES: readonly string[] = Object.values(CHILD_PERMISSION);

/** A list of {@link CHILD_PERMISSION}. */
export function PermissionsField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIf((_, value) => !(options.optional === true && value === undefined)),
    IsArray(),
    ArrayMaxSize(PERMISSION_NAMES.length),
    IsIn(PERMISSION_NAMES, { each: true }),
    ApiProperty({
      description: options.description,
      enum: PERMISSION_NAMES,
      isArray: true,
      required: options.optional !== true,
      example: ['LOCATION', 'CHAT'],
    }),
  );
}

/** Lists of {@link CHILD_PERMISSION} by `cid`, for children with individual permissions. */
export function ChildPermissionsField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIf((_, value) => !(options.optional === true && value === undefined)),
    ValidateBy({
      name: 'isChildPermissions',
      validator: {
        validate: isChildPermissions,
        defaultMessage: () => `$property must map at most ${FAMILY_LIMITS.children} cids to lists of permissions`,
      },
    }),
    ApiProperty({
      description: options.description ?? 'By `cid`, for children with individual permissions',
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string', enum: [...PERMISSION_NAMES] } },
      selfRequired: options.optional !== true,
      example: { '6f1f7a52-9d0a-4b0e-8f2b-0c6f1a9e7d31': ['LOCATION'] },
    }),
  );
}

function isChildPermissions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const lists: unknown[] = Object.values(value);
  return (
    lists.length <= FAMILY_LIMITS.children &&
    lists.every((list) => Array.isArray(list) && list.every((name) => PERMISSION_NAMES.includes(name as string)))
  );
}
