import { UuidField, IntegerField, EnumField, StringField } from '../../kernel/dto/fields.js';
import { RefreshTokenField } from './account-fields.js';

const TOKEN_TYPES = { BEARER: 'Bearer' } as const;

/** The tokens of a session. */
export class TokensDto {
  @StringField({
    description: 'JWT for the Authorization header',
    example: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9…',
  })
  accessToken!: string;

  @RefreshTokenField()
  refreshToken!: string;

  @EnumField(TOKEN_TYPES, { example: 'Bearer' })
  tokenType!: 'Bearer';

  @IntegerField({ description: 'Seconds until the access token expires', example: 600 })
  expiresIn!: number;

  @UuidField()
  userId!: string;
}
