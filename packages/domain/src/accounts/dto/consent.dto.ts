import {
  BooleanField,
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { CONSENT_HISTORY_LENGTH, CONSENT_PURPOSE, type ConsentPurpose } from '../contracts/account.js';

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

  @IntegerField({ min: 1, example: 1, description: 'Version of the texts at that time' })
  textVersion: number;
}

class ConsentTranslationDto {
  @StringField({ example: 'zh-CN', description: 'BCP 47' })
  language: string;

  @StringField()
  keeps: string;

  @StringField()
  usedFor: string;

  @StringField()
  retention: string;
}

/** What a person consents to, in English and in translations. Apps show the texts before they ask for the consent. */
export class ConsentTextDto {
  /** A consent to an earlier version is not valid. */
  @IntegerField({ min: 1, example: 1, description: 'Increases when a text changes; the person is then asked again' })
  version: number;

  @StringField({ description: 'The data that the service keeps' })
  keeps: string;

  @StringField()
  usedFor: string;

  @StringField({ description: 'How long the data is kept, and the effect of a withdrawal' })
  retention: string;

  @NestedListField(() => ConsentTranslationDto, {
    maxItems: 20,
    description: 'The three texts in other languages than English; the version is that of all languages',
  })
  translations: ConsentTranslationDto[];
}

export class ConsentDto {
  @EnumField(CONSENT_PURPOSE)
  purpose: ConsentPurpose;

  @BooleanField({ description: 'False if the texts have changed since the consent' })
  granted: boolean;

  @IntegerField({ min: 0, example: 1, description: 'Increases with each change; 0 before the first change' })
  version: number;

  @NestedField(() => ConsentTextDto, { description: 'What the person consents to, to show before asking' })
  text: ConsentTextDto;

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
