import { ReferenceField } from '../../kernel/dto/fields.js';

export class AccountReferenceDto {
  @ReferenceField({ description: "`userId` of the person's account" })
  userId!: string;
}
