import { Flag, Id, Name, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { TimeZone } from '../../kernel/dto/time-zone.js';
import { AccountPhoneNumber, CallingCode } from './account-fields.js';

/** The caller's own account. */
export class ProfileDto {
  @Id()
  userId!: string;

  @CallingCode({ description: 'Country calling code with +' })
  areaCode!: string;

  @AccountPhoneNumber()
  phoneNumber!: string;

  @Name({ example: 'Anna' })
  nickname!: string;

  @Text({ nullable: true, maxLength: 512, description: 'Reference of a picture', example: 'media/5b1c' })
  avatar!: string | null;

  @TimeZone()
  timeZone!: string;

  @Flag({ description: 'False while the account has no password and signs in by code', example: true })
  hasPassword!: boolean;

  @UnixMilliseconds()
  createdAt!: number;
}

/** What is absent stays as it is. */
export class UpdateProfileDto {
  @Name({ optional: true, description: 'How other members see this person', example: 'Anna' })
  nickname?: string;

  @Text({
    optional: true,
    nullable: true,
    maxLength: 512,
    description: 'null takes the picture away',
    example: 'media/5b1c',
  })
  avatar?: string | null;

  @TimeZone({ optional: true, description: 'New children start with it' })
  timeZone?: string;
}
