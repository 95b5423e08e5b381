import { UnvalidatedListField } from '../../kernel/dto/fields.js';
import { LocationPointDto } from './location-point.dto.js';

/** Points are judged one by one: a bad one must not keep the good ones from being stored. */
export function ReportedPointsField({ maxItems }: { maxItems: number }): PropertyDecorator {
  return UnvalidatedListField(() => LocationPointDto, { minItems: 1, maxItems });
}
