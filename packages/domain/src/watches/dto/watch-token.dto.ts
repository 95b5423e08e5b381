import { DeviceId, Integer, Text } from '../../kernel/dto/fields.js';
import { Nonce, Signature } from './watch-fields.js';

export class TokenChallengeRequestDto {
  @DeviceId()
  did: number;
}

export class TokenCreateRequestDto {
  @DeviceId()
  did: number;

  @Nonce()
  nonce: string;

  @Signature({ description: 'Of `family-watch/token\\n<audience>\\n<nonce>\\n<did>`' })
  signature: string;
}

export class WatchTokenDto {
  @Text({ example: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ3YXRjaDoxIn0.c2ln' })
  accessToken: string;

  @Text({ example: 'Bearer' })
  tokenType: 'Bearer';

  @Integer({ min: 1, example: 600, description: 'Seconds' })
  expiresIn: number;
}
