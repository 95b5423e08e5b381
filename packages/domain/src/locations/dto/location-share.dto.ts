import {
  UuidField,
  IntegerField,
  NestedField,
  NestedListField,
  NameField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import {
  MAX_LOCATION_SHARE_TITLE_LENGTH,
  LOCATION_SHARE_TTL_SECONDS,
  MAX_LOCATION_SHARES_PER_CHILD,
} from '../contracts/location.js';
import { LocationPointDto } from './location.dto.js';

const TITLE_DESCRIPTION =
  'Title of the public page. The page shows the name of the child only if the title contains the name.';

export class CreateShareDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @IntegerField({
    optional: true,
    min: LOCATION_SHARE_TTL_SECONDS.MIN,
    max: LOCATION_SHARE_TTL_SECONDS.MAX,
    example: 900,
    description: `Seconds until the link expires; ${LOCATION_SHARE_TTL_SECONDS.DEFAULT} if omitted`,
  })
  expiresIn?: number;

  @NameField({
    optional: true,
    nullable: true,
    maxLength: MAX_LOCATION_SHARE_TITLE_LENGTH,
    description: TITLE_DESCRIPTION,
  })
  title?: string | null;
}

export class ShareListQueryDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;
}

export class ShareReferenceDto {
  @ReferenceField({ example: 'b9a55c1e-0f3e-44ab-8c53-0a7b1b1a9a51' })
  shareId: string;
}

/** An active location share. */
export class ShareDto {
  @UuidField()
  shareId: string;

  @StringField({ nullable: true, maxLength: MAX_LOCATION_SHARE_TITLE_LENGTH, description: TITLE_DESCRIPTION })
  title: string | null;

  @UuidField({ description: 'User who created the share' })
  createdBy: string;

  @UnixMillisecondsField()
  createdAt: number;

  @UnixMillisecondsField()
  expiresAt: number;
}

/** A new location share. Only this response contains the URL, because the service does not store the URL. */
export class CreatedShareDto extends ShareDto {
  @StringField({
    description: 'Anyone with this URL can see the location of the child',
    example: 'https://…/share/Zk3…',
  })
  url: string;
}

export class ShareListDto {
  @NestedListField(() => ShareDto, { maxItems: MAX_LOCATION_SHARES_PER_CHILD, description: 'Newest first' })
  items: ShareDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}

/** What the public page of a location share shows to anyone with the link. */
export class SharedLocationDto {
  @StringField({ nullable: true, maxLength: MAX_LOCATION_SHARE_TITLE_LENGTH })
  title: string | null;

  @NestedField(() => LocationPointDto, { nullable: true, description: 'null if the location is unknown' })
  location: LocationPointDto | null;

  @UnixMillisecondsField({ description: 'Expiry of the link' })
  expiresAt: number;
}
