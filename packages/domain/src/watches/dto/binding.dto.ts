import { StepUpDto } from '../../accounts/dto/step-up.dto.js';
import type { IdentityType } from '../../contacts/contracts/contact.js';
import { Identity } from '../../contacts/dto/identity-field.js';
import { DeviceId, Integer, Name, Nested, Reference, Text } from '../../kernel/dto/fields.js';

export class BindCodeDto {
  @Text({ example: 'Qm9sZWx5LXNlY3JldC1pZA', description: '128 random bits, shown as a QR code' })
  bindCode: string;

  @Text({ example: '042917', description: 'Six digits, shown on the watch' })
  confirmCode: string;

  @Integer({ min: 1, example: 300, description: 'Seconds' })
  expiresIn: number;
}

export class BindRequestDto {
  @Text({ minLength: 1, maxLength: 64, example: 'Qm9sZWx5LXNlY3JldC1pZA' })
  bindCode: string;

  @Text({ minLength: 1, maxLength: 16, example: '042917' })
  confirmCode: string;

  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @Name({ optional: true, example: 'Mama', description: 'What the child calls the owner' })
  appellation?: string;

  @Identity({ optional: true, description: 'The owner to the child' })
  identityType?: IdentityType;
}

export class BoundDto {
  @DeviceId()
  did: number;
}

export class UnbindRequestDto {
  @DeviceId()
  did: number;

  @Nested(() => StepUpDto, { optional: true, description: 'Without it the answer is STEP_UP_REQUIRED' })
  stepUp?: StepUpDto;
}
