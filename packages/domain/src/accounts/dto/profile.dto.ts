import { BooleanField, UuidField, NameField, StringField, UnixMillisecondsField } from '../../kernel/dto/fields.js';
import { TimeZoneField } from '../../kernel/dto/time-zone.js';
import { AccountPhoneNumberField, CallingCodeField } from './account-fields.js';

/** The caller's own account. */
export class ProfileDto {
  @UuidField()
  userId!: string;

  @CallingCodeField({ description: 'Country calling code, with +' })
  areaCode!: string;

  @AccountPhoneNumberField()
  phoneNumber!: string;

  @NameField({ example: 'Anna' })
  nickname!: string;

  @StringField({ nullable: true, maxLength: 512, description: 'Reference of an image', example: 'media/5b1c' })
  avatar!: string | null;

  @TimeZoneField()
  timeZone!: string;

  @BooleanField({ description: 'False while the account has no password and signs in by SMS code', example: true })
  hasPassword!: boolean;

  @UnixMillisecondsField()
  createdAt!: number;
}

/** Omitted fields are unchanged. */
export class UpdateProfileDto {
  @NameField({ optional: true, description: 'Name that other members see', example: 'Anna' })
  nickname?: string;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: 512,
    description: 'Reference of an image; null removes it',
    example: 'media/5b1c',
  })
  avatar?: string | null;

  @TimeZoneField({ optional: true, description: 'IANA time zone; default for new children' })
  timeZone?: string;
}
