import { StepUpDto } from '../../accounts/dto/step-up.dto.js';
import type { IdentityType } from '../../contacts/contracts/contact.js';
import { IdentityTypeField } from '../../contacts/dto/identity-type-field.js';
import {
  DeviceIdField,
  IntegerField,
  NameField,
  NestedField,
  ReferenceField,
  StringField,
} from '../../kernel/dto/fields.js';

export class BindCodeDto {
  @StringField({ example: 'Qm9sZWx5LXNlY3JldC1pZA', description: '128 random bits, shown as a QR code' })
  bindCode: string;

  @StringField({ example: '042917', description: 'Six digits, shown on the watch' })
  confirmCode: string;

  @IntegerField({ min: 1, example: 300, description: 'Seconds until both codes expire' })
  expiresIn: number;
}

export class BindRequestDto {
  @StringField({ minLength: 1, maxLength: 64, example: 'Qm9sZWx5LXNlY3JldC1pZA' })
  bindCode: string;

  @StringField({ minLength: 1, maxLength: 16, example: '042917' })
  confirmCode: string;

  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @NameField({ optional: true, example: 'Mama', description: 'What the child calls the owner' })
  appellation?: string;

  @IdentityTypeField({ optional: true, description: 'Relation of the owner to the child' })
  identityType?: IdentityType;
}

export class BoundDto {
  @DeviceIdField()
  did: number;
}

export class UnbindRequestDto {
  @DeviceIdField()
  did: number;

  @NestedField(() => StepUpDto, { optional: true, description: 'If omitted, the request fails with STEP_UP_REQUIRED' })
  stepUp?: StepUpDto;
}
