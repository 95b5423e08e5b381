import { Id, Integer, OneOf, Text } from '../../kernel/dto/fields.js';
import { RefreshTokenField } from './account-fields.js';

const TOKEN_TYPES = { BEARER: 'Bearer' } as const;

/** What a sign-in gives. */
export class TokensDto {
  @Text({ description: 'JWT for the header Authorization', example: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9…' })
  accessToken!: string;

  @RefreshTokenField()
  refreshToken!: string;

  @OneOf(TOKEN_TYPES, { example: 'Bearer' })
  tokenType!: 'Bearer';

  @Integer({ description: 'Seconds until the access token expires', example: 600 })
  expiresIn!: number;

  @Id()
  userId!: string;
}
