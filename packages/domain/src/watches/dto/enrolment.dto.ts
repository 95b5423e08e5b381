import { DeviceId, Text } from '../../kernel/dto/fields.js';
import { Imei, Nonce, PublicKey, Signature } from './watch-fields.js';

export class EnrolChallengeRequestDto {
  @PublicKey({ description: 'The key that will be enrolled' })
  publicKey: string;
}

export class ChallengeDto {
  @Nonce({ description: 'Good for one proof within a minute' })
  nonce: string;

  @Text({ example: 'https://watch.example.org', description: 'Goes into the signed text as it is' })
  audience: string;
}

export class EnrolRequestDto {
  @Imei()
  imei: string;

  @Text({ minLength: 1, maxLength: 64, example: 'W7 Kids' })
  model: string;

  @Text({ minLength: 1, maxLength: 64, example: '2.4.1' })
  firmwareVersion: string;

  @PublicKey()
  publicKey: string;

  @Nonce()
  nonce: string;

  @Signature({ description: 'Of `family-watch/enrol\\n<audience>\\n<nonce>\\n<imei>`' })
  proof: string;

  @Signature({
    optional: true,
    description: "The maker's, of `family-watch/maker\\n<imei>\\n<publicKey>`; needed where an enrolment list is kept",
  })
  makerSignature?: string;
}

export class EnrolledDto {
  @DeviceId({ description: 'Belongs to the key: the same key gets the same did again' })
  did: number;
}
