import { Id, Integer, Nested, NestedList, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { MAX_SHARE_TITLE, SHARE_LIFETIME, SHARE_LIMIT } from '../contracts/location-share.js';
import { LocationPointDto } from './location-point.dto.js';

const TITLE = 'What the page is headed with. The child is named only if it is named here';

export class CreateShareDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @Integer({
    ...{ optional: true, min: SHARE_LIFETIME.MIN, max: SHARE_LIFETIME.MAX, example: 900 },
    description: `Seconds that the link lives; ${SHARE_LIFETIME.DEFAULT} when absent`,
  })
  expiresIn?: number;

  @Text({ optional: true, nullable: true, minLength: 1, maxLength: MAX_SHARE_TITLE, description: TITLE })
  title?: string | null;
}

export class ShareListQueryDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;
}

export class ShareReferenceDto {
  @Reference({ example: 'b9a55c1e-0f3e-44ab-8c53-0a7b1b1a9a51' })
  shareId: string;
}

/** A link that can still be used. */
export class ShareDto {
  @Id()
  shareId: string;

  @Text({ nullable: true, maxLength: MAX_SHARE_TITLE, description: TITLE })
  title: string | null;

  @Id({ description: 'User who made it' })
  createdBy: string;

  @UnixMilliseconds()
  createdAt: number;

  @UnixMilliseconds()
  expiresAt: number;
}

/** The only answer with the address: it is not stored. */
export class CreatedShareDto extends ShareDto {
  @Text({ description: 'Whoever has this address sees where the child is', example: 'https://…/share/Zk3…' })
  url: string;
}

export class ShareListDto {
  @NestedList(() => ShareDto, { maxItems: SHARE_LIMIT, description: 'The newest first' })
  items: ShareDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}

/** What somebody outside the family sees. */
export class SharedLocationDto {
  @Text({ nullable: true, maxLength: MAX_SHARE_TITLE })
  title: string | null;

  @Nested(() => LocationPointDto, { nullable: true, description: 'Null while nobody knows where the child is' })
  location: LocationPointDto | null;

  @UnixMilliseconds({ description: 'Until then the link can be used' })
  expiresAt: number;
}
