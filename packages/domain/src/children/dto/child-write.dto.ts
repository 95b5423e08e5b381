import { AreaCode, Integer, Name, OneOf, PhoneNumber, Reference, Text } from '../../kernel/dto/fields.js';
import { TimeZone } from '../../kernel/dto/time-zone.js';
import { GENDER } from '../contracts/gender.js';
import type { Gender } from '../contracts/gender.js';

const CID_EXAMPLE = '6f1f7a52-9d0a-4b0e-8f2b-0c6f1a9e7d31';

/** Body of CreateChild (specification 2.5). */
export class CreateChildDto {
  @Name({ example: 'Mia' })
  name: string;

  @PhoneNumber()
  phoneNumber: string;

  @AreaCode()
  areaCode: string;

  @Text({ optional: true, example: 'media/5b1c' })
  avatar?: string;

  @Text({ optional: true, maxLength: 64, example: '2018-05-04' })
  birthday?: string;

  @Name({ example: 'Mimi', description: 'What the child calls itself' })
  appellation: string;

  @OneOf(GENDER, { optional: true, example: 3, description: '0 unknown (default), 2 man, 3 woman' })
  gender?: Gender;

  @Integer({ min: 100, max: 200, example: 120 })
  weight: number;

  @Integer({ min: 100, max: 200, example: 125 })
  height: number;

  @TimeZone({ optional: true, description: "IANA name; the owner's by default" })
  timeZone?: string;
}

/** Body of UpdateChild (specification 2.5): of the optional fields, what is absent stays. */
export class UpdateChildDto extends CreateChildDto {
  @Text({ maxLength: 128, example: CID_EXAMPLE })
  cid: string;
}

export class ChildReferenceDto {
  @Reference({ example: CID_EXAMPLE })
  cid: string;
}
