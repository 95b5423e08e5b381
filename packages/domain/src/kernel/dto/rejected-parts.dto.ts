import type { ErrorDetail } from '../contracts/service-error.js';
import { NestedListField, StringField } from './fields.js';

/** A violated rule of a request. */
export class ErrorDetailDto implements ErrorDetail {
  @StringField({ example: 'calls.3.time', description: 'Path of the field' })
  field: string;

  @StringField({ example: 'isWatchTime' })
  rule: string;

  @StringField({ description: 'How to fix it' })
  message: string;
}

/** Response to a report of which the invalid items are dropped and the others are stored. */
export class ReportResultDto {
  @NestedListField(() => ErrorDetailDto, {
    maxItems: 1_000,
    description: 'Violated rules of the items that were dropped; do not send these items again',
  })
  rejected: ErrorDetailDto[];
}
