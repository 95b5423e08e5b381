import { DeviceIdField, StringField } from '../../kernel/dto/fields.js';
import { ImeiField, NonceField, PublicKeyField, SignatureField } from './watch-fields.js';

export class EnrolChallengeRequestDto {
  @PublicKeyField({ description: 'The key that will be enrolled' })
  publicKey: string;
}

export class ChallengeDto {
  @NonceField({ description: 'Good for one proof within a minute' })
  nonce: string;

  @StringField({ example: 'https://watch.example.org', description: 'Goes into the signed text as it is' })
  audience: string;
}

export class EnrolRequestDto {
  @ImeiField()
  imei: string;

  @StringField({ minLength: 1, maxLength: 64, example: 'W7 Kids' })
  model: string;

  @StringField({ minLength: 1, maxLength: 64, example: '2.4.1' })
  firmwareVersion: string;

  @PublicKeyField()
  publicKey: string;

  @NonceField()
  nonce: string;

  @SignatureField({ description: 'Of `family-watch/enrol\\n<audience>\\n<nonce>\\n<imei>`' })
  proof: string;

  @SignatureField({
    optional: true,
    description: "The maker's, of `family-watch/maker\\n<imei>\\n<publicKey>`; needed where an enrolment list is kept",
  })
  makerSignature?: string;
}

export class EnrolledDto {
  @DeviceIdField({ description: 'Belongs to the key: the same key gets the same did again' })
  did: number;
}
