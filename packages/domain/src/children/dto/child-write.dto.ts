import {
  AreaCodeField,
  IntegerField,
  NameField,
  EnumField,
  PhoneNumberField,
  ReferenceField,
  StringField,
} from '../../kernel/dto/fields.js';
import { TimeZoneField } from '../../kernel/dto/time-zone.js';
import { GENDER } from '../contracts/gender.js';
import type { Gender } from '../contracts/gender.js';

const CID_EXAMPLE = '6f1f7a52-9d0a-4b0e-8f2b-0c6f1a9e7d31';

/** Body of CreateChild (specification 2.5). */
export class CreateChildDto {
  @NameField({ example: 'Mia' })
  name: string;

  @PhoneNumberField()
  phoneNumber: string;

  @AreaCodeField()
  areaCode: string;

  @StringField({ optional: true, example: 'media/5b1c' })
  avatar?: string;

  @StringField({ optional: true, maxLength: 64, example: '2018-05-04' })
  birthday?: string;

  @NameField({ example: 'Mimi', description: 'Name that the child uses for itself' })
  appellation: string;

  @EnumField(GENDER, { optional: true, example: 3, description: '0 unknown (default), 2 man, 3 woman' })
  gender?: Gender;

  @IntegerField({ min: 100, max: 200, example: 120 })
  weight: number;

  @IntegerField({ min: 100, max: 200, example: 125 })
  height: number;

  @TimeZoneField({ optional: true, description: "IANA time zone; the owner's by default" })
  timeZone?: string;
}

/** Body of UpdateChild (specification 2.5). Omitted optional fields are unchanged. */
export class UpdateChildDto extends CreateChildDto {
  @StringField({ maxLength: 128, example: CID_EXAMPLE })
  cid: string;
}

export class ChildReferenceDto {
  @ReferenceField({ example: CID_EXAMPLE })
  cid: string;
}
