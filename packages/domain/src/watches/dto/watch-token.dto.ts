import { DeviceIdField, IntegerField, StringField } from '../../kernel/dto/fields.js';
import { NonceField, SignatureField } from './watch-fields.js';

export class TokenChallengeRequestDto {
  @DeviceIdField()
  did: number;
}

export class TokenCreateRequestDto {
  @DeviceIdField()
  did: number;

  @NonceField()
  nonce: string;

  @SignatureField({ description: 'Signature over `family-watch/token\\n<audience>\\n<nonce>\\n<did>`' })
  signature: string;
}

export class WatchTokenDto {
  @StringField({ example: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ3YXRjaDoxIn0.c2ln' })
  accessToken: string;

  @StringField({ example: 'Bearer' })
  tokenType: 'Bearer';

  @IntegerField({ min: 1, example: 600, description: 'Seconds until the token expires' })
  expiresIn: number;
}
