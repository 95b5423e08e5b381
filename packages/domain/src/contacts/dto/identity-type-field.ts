import { EnumField } from '../../kernel/dto/fields.js';
import type { FieldOptions } from '../../kernel/dto/fields.js';
import { IDENTITY_TYPE } from '../contracts/contact.js';

const NUMBERS_DESCRIPTION = '0 custom, 1 father, 2 mother, 3 grandfather, 4 grandmother, 5 other relative, 6 friend';

/** Relation of a person to the child: one of {@link IDENTITY_TYPE}. `description` must name the person. */
export function IdentityTypeField({ description, ...options }: FieldOptions = {}): PropertyDecorator {
  const prefix = description === undefined ? '' : `${description}: `;
  return EnumField(IDENTITY_TYPE, {
    example: IDENTITY_TYPE.MOTHER,
    ...options,
    description: prefix + NUMBERS_DESCRIPTION,
  });
}
