import { DeviceIdField, StringField } from '../../kernel/dto/fields.js';
import { ImeiField, NonceField, PublicKeyField, SignatureField } from './watch-fields.js';

export class EnrolChallengeRequestDto {
  @PublicKeyField({ description: 'The public key to enrol' })
  publicKey: string;
}

export class ChallengeDto {
  @NonceField({ description: 'Valid for one proof within one minute' })
  nonce: string;

  @StringField({ example: 'https://watch.example.org', description: 'Part of the signed text, unchanged' })
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

  @SignatureField({ description: 'Signature over `family-watch/enrol\\n<audience>\\n<nonce>\\n<imei>`' })
  proof: string;

  @SignatureField({
    optional: true,
    description:
      "Manufacturer's signature over `family-watch/maker\\n<imei>\\n<publicKey>`; required if the service has an " +
      'enrolment list',
  })
  makerSignature?: string;
}

export class EnrolledDto {
  @DeviceIdField({ description: 'Id of the watch; the same key always gets the same did' })
  did: number;
}
