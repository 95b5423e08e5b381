import { UnvalidatedListField } from '../../kernel/dto/fields.js';
import { LocationPointDto } from './location-point.dto.js';

/** Points are validated one by one, so that valid points are stored even if others are invalid. */
export function ReportedPointsField({ maxItems }: { maxItems: number }): PropertyDecorator {
  return UnvalidatedListField(() => LocationPointDto, { minItems: 1, maxItems });
}
