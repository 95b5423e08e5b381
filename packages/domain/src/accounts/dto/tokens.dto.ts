import { UuidField, IntegerField, EnumField, StringField } from '../../kernel/dto/fields.js';
import { DeviceTokenField, RefreshTokenField } from './account-fields.js';

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

  @DeviceTokenField({
    description: 'Marks this device as known to the account. Send it with sign-ins and requests for SMS codes.',
  })
  deviceToken!: string;

  @EnumField(TOKEN_TYPES, { example: 'Bearer' })
  tokenType!: 'Bearer';

  @IntegerField({ description: 'Seconds until the access token expires', example: 600 })
  expiresIn!: number;

  @UuidField()
  userId!: string;
}
