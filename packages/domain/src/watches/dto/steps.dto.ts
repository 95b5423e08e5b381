import { IntegerField, MAX_INT64 } from '../../kernel/dto/fields.js';

export class StepsReportDto {
  @IntegerField({
    min: 0,
    max: MAX_INT64,
    example: 18_254,
    description: 'Step counter since manufacture or reset',
  })
  stepTotal: number;
}
