import {
  BooleanField,
  IntegerField,
  NestedListField,
  EnumField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { CONSENT_HISTORY_LENGTH, CONSENT_PURPOSE } from '../contracts/account.js';
import type { ConsentPurpose } from '../contracts/account.js';

const PURPOSES = Object.keys(CONSENT_PURPOSE).length;

export class UpdateConsentDto {
  @EnumField(CONSENT_PURPOSE)
  purpose: ConsentPurpose;

  @BooleanField({ description: 'False withdraws the consent. The change is effective when the response arrives.' })
  granted: boolean;
}

export class ConsentChangeDto {
  @IntegerField({ min: 1, example: 1 })
  version: number;

  @BooleanField()
  granted: boolean;

  @UnixMillisecondsField()
  time: number;
}

export class ConsentDto {
  @EnumField(CONSENT_PURPOSE)
  purpose: ConsentPurpose;

  @BooleanField()
  granted: boolean;

  @IntegerField({ min: 0, example: 1, description: 'Increases with each change; 0 before the first change' })
  version: number;

  @UnixMillisecondsField({ nullable: true, description: 'Time of the last change' })
  changedAt: number | null;

  @NestedListField(() => ConsentChangeDto, { maxItems: CONSENT_HISTORY_LENGTH, description: 'Newest first' })
  history: ConsentChangeDto[];
}

/** The consents of the caller to all purposes, on one page. */
export class ConsentListDto {
  @NestedListField(() => ConsentDto, { maxItems: PURPOSES })
  items: ConsentDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}
