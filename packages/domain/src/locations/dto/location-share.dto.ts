import {
  UuidField,
  IntegerField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import {
  MAX_LOCATION_SHARE_TITLE_LENGTH,
  LOCATION_SHARE_TTL_SECONDS,
  MAX_LOCATION_SHARES_PER_CHILD,
} from '../contracts/location-share.js';
import { LocationPointDto } from './location-point.dto.js';

const TITLE = 'What the page is headed with. The child is named only if it is named here';

export class CreateShareDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @IntegerField({
    optional: true,
    min: LOCATION_SHARE_TTL_SECONDS.MIN,
    max: LOCATION_SHARE_TTL_SECONDS.MAX,
    example: 900,
    description: `Seconds that the link lives; ${LOCATION_SHARE_TTL_SECONDS.DEFAULT} when absent`,
  })
  expiresIn?: number;

  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_LOCATION_SHARE_TITLE_LENGTH,
    description: TITLE,
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

/** A link that can still be used. */
export class ShareDto {
  @UuidField()
  shareId: string;

  @StringField({ nullable: true, maxLength: MAX_LOCATION_SHARE_TITLE_LENGTH, description: TITLE })
  title: string | null;

  @UuidField({ description: 'User who made it' })
  createdBy: string;

  @UnixMillisecondsField()
  createdAt: number;

  @UnixMillisecondsField()
  expiresAt: number;
}

/** The only answer with the address: it is not stored. */
export class CreatedShareDto extends ShareDto {
  @StringField({ description: 'Whoever has this address sees where the child is', example: 'https://…/share/Zk3…' })
  url: string;
}

export class ShareListDto {
  @NestedListField(() => ShareDto, { maxItems: MAX_LOCATION_SHARES_PER_CHILD, description: 'The newest first' })
  items: ShareDto[];

  @StringField({ nullable: true })
  nextCursor: string | null;
}

/** What somebody outside the family sees. */
export class SharedLocationDto {
  @StringField({ nullable: true, maxLength: MAX_LOCATION_SHARE_TITLE_LENGTH })
  title: string | null;

  @NestedField(() => LocationPointDto, { nullable: true, description: 'Null while nobody knows where the child is' })
  location: LocationPointDto | null;

  @UnixMillisecondsField({ description: 'Until then the link can be used' })
  expiresAt: number;
}
