import { StringField } from '../../kernel/dto/fields.js';

/** The event `token`: a fresh access token of the same session. */
export class TokenRenewalDto {
  @StringField({ minLength: 1, maxLength: 2_048 })
  token: string;
}
