import {
  BooleanField,
  IntegerField,
  NestedField,
  NestedListField,
  ReferenceField,
  ReferenceListField,
  StringField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { MAX_CONTENTS_PER_SHARE } from '../contracts/content.js';
import { CloudIdField, CONTENT_ID_EXAMPLE, FamilyCloudRequestDto, PageInfoDto } from './family-cloud-fields.js';

const MAX_ID_LENGTH = 128;
const AUTHORIZATION_EXAMPLE = '7c2f5d0e-1b7a-4a55-9c53-2d4b6e8f9a01';
const TARGET_DESCRIPTION = 'Exactly one of `contentIDList`, `catalogID` and `photoID` is required.';

/** Shares files with one member of the family. The member may be one who may not read the cloud. */
export class AuthorizeDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField({ description: 'The member who gets read access' })
  userId: string;

  @ReferenceListField({
    optional: true,
    minItems: 1,
    maxItems: MAX_CONTENTS_PER_SHARE,
    maxLength: MAX_ID_LENGTH,
    description: TARGET_DESCRIPTION,
    example: [CONTENT_ID_EXAMPLE],
  })
  contentIDList?: string[];

  @ReferenceField({ optional: true, description: `A folder with everything below it. ${TARGET_DESCRIPTION}` })
  catalogID?: string;

  @ReferenceField({ optional: true, description: `An album. ${TARGET_DESCRIPTION}` })
  photoID?: string;

  @UnixMillisecondsField({
    optional: true,
    example: 1_893_456_000_000,
    description: 'When the share ends; if omitted, the share ends only when it is revoked',
  })
  expireTime?: number;
}

/** A share: read access of one member to files, a folder or an album. */
export class AuthorizationDto {
  @StringField({ example: AUTHORIZATION_EXAMPLE })
  authorizationID: string;

  @StringField({ description: 'The member who has read access' })
  userId: string;

  @StringField({ description: 'The member who created the share' })
  authorizerUserId: string;

  @StringListField({
    maxItems: MAX_CONTENTS_PER_SHARE,
    description: 'The individually shared files that the caller may see',
  })
  contentIDList: string[];

  @StringField({ description: 'The shared folder; empty if no folder is shared', example: '' })
  catalogID: string;

  @StringField({ description: 'The shared album; empty if no album is shared', example: '' })
  photoID: string;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField({ nullable: true, description: 'When the share ends; null: only when it is revoked' })
  expireTime: number | null;
}

/** A newly created share. */
export class AuthorizedDto extends AuthorizationDto {
  @BooleanField({
    description:
      'False if the share includes files that the member receives as originals, with all metadata such as author ' +
      'and location: documents, most audio formats and unknown formats',
  })
  metadataRemoved: boolean;
}

export class QueryAuthorizationDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

export class AuthorizationListDto {
  @IntegerField({ min: 0, description: 'Number of shares on all pages', example: 1 })
  totalCount: number;

  @NestedListField(() => AuthorizationDto, { maxItems: 200, description: 'Newest first' })
  authorizationList: AuthorizationDto[];
}

export class RevokeAuthorizationDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField({ example: AUTHORIZATION_EXAMPLE })
  authorizationID: string;
}
