import { Flag, Integer, NestedList, OneOf, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { CONSENT_HISTORY_LENGTH, CONSENT_PURPOSE } from '../contracts/consent.js';
import type { ConsentPurpose } from '../contracts/consent.js';

const PURPOSES = Object.keys(CONSENT_PURPOSE).length;

export class UpdateConsentDto {
  @OneOf(CONSENT_PURPOSE)
  purpose: ConsentPurpose;

  @Flag({ description: 'False withdraws; it holds when the answer comes' })
  granted: boolean;
}

export class ConsentChangeDto {
  @Integer({ min: 1, example: 1 })
  version: number;

  @Flag()
  granted: boolean;

  @UnixMilliseconds()
  time: number;
}

export class ConsentDto {
  @OneOf(CONSENT_PURPOSE)
  purpose: ConsentPurpose;

  @Flag()
  granted: boolean;

  @Integer({ min: 0, example: 1, description: 'Rises with each change; 0 as long as nothing was said' })
  version: number;

  @UnixMilliseconds({ nullable: true, description: 'When it was last changed' })
  changedAt: number | null;

  @NestedList(() => ConsentChangeDto, { maxItems: CONSENT_HISTORY_LENGTH, description: 'Newest first' })
  history: ConsentChangeDto[];
}

/** There are few purposes, so one page holds them all. */
export class ConsentListDto {
  @NestedList(() => ConsentDto, { maxItems: PURPOSES })
  items: ConsentDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
