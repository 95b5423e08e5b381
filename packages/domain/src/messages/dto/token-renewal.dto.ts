import { StringField } from '../../kernel/dto/fields.js';

/** Event `token`: a new access token for the same session. */
export class TokenRenewalDto {
  @StringField({ minLength: 1, maxLength: 2_048 })
  token: string;
}
