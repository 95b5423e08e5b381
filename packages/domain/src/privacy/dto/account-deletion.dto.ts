import { ApiProperty } from '@nestjs/swagger';
import {
  EnumField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
  UuidField,
} from '../../kernel/dto/fields.js';
import {
  ACCOUNT_DELETION_STATE,
  OWNED_FAMILY_OUTCOME,
  type AccountDeletionState,
  type OwnedFamilyOutcome,
} from '../contracts/account-deletion.js';
import { ERASING_APPS, type ErasingApp, type ErasureCounts } from '../../kernel/contracts/account-erasure.js';
import { StepUpDto, StepUpField } from '../../accounts/dto/profile.dto.js';

export class DeleteAccountDto {
  @StepUpField('The password, or a code of scene STEP_UP')
  stepUp?: StepUpDto;
}

/** What happens to the family that the person owns. */
export class OwnedFamilyDto {
  @UuidField()
  familyId: string;

  @EnumField(OWNED_FAMILY_OUTCOME, {
    description:
      'TRANSFERRED: a guardian becomes the owner. ERASED: no guardian can become the owner, so the family, its children ' +
      'and all their data are erased.',
  })
  outcome: OwnedFamilyOutcome;

  @UuidField({ nullable: true, description: 'The guardian who becomes the owner' })
  newOwnerUserId: string | null;
}

/** A requested deletion of the caller's account. */
export class AccountDeletionDto {
  @UuidField({ description: 'Id of the receipt. Keep it: it is the only way to read the receipt afterwards' })
  receiptId: string;

  @UnixMillisecondsField()
  requestedAt: number;

  @UnixMillisecondsField({ description: 'When the account is erased. Until then the deletion can be cancelled' })
  eraseAt: number;

  @NestedField(() => OwnedFamilyDto, {
    nullable: true,
    description: 'The family that the caller owns, with its outcome if nothing changes until then',
  })
  ownedFamily: OwnedFamilyDto | null;
}

export class AccountDeletionStatusDto {
  @NestedField(() => AccountDeletionDto, { nullable: true, description: 'Null if no deletion is requested' })
  deletion: AccountDeletionDto | null;
}

export class ErasureReceiptQueryDto {
  @ReferenceField()
  receiptId: string;
}

/** What one app has erased. */
export class ErasureConfirmationDto {
  @EnumField(Object.fromEntries(ERASING_APPS.map((app) => [app, app])) as Record<ErasingApp, ErasingApp>)
  app: ErasingApp;

  @UnixMillisecondsField()
  time: number;

  @ApiProperty({
    description: 'Number of erased or anonymized records of each kind',
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { session: 2, location_point: 4_211 },
  })
  counts: ErasureCounts;
}

/** The receipt of an erasure. It contains nothing about the person. */
export class ErasureReceiptDto {
  @UuidField()
  receiptId: string;

  @EnumField(ACCOUNT_DELETION_STATE)
  state: AccountDeletionState;

  @UnixMillisecondsField()
  requestedAt: number;

  @UnixMillisecondsField()
  eraseAt: number;

  @UnixMillisecondsField({ nullable: true })
  erasedAt: number | null;

  @UnixMillisecondsField({ nullable: true, description: 'When the last app confirmed that nothing is left' })
  completedAt: number | null;

  @NestedListField(() => ErasureConfirmationDto, { maxItems: ERASING_APPS.length })
  confirmations: ErasureConfirmationDto[];

  @StringField({
    nullable: true,
    description:
      'SHA-256, hexadecimal, of the compact JSON text of the other fields in this order, to detect a changed receipt; ' +
      'null until the erasure is completed',
  })
  digest: string | null;
}
