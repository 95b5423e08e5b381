import {
  Flag,
  Integer,
  Nested,
  NestedList,
  Reference,
  Text,
  TextList,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { MAX_SHARED_CONTENTS } from '../contracts/share.js';
import { CloudId, CONTENT_EXAMPLE } from './family-cloud-fields.js';
import { FamilyCloudRequestDto, PageInfoDto } from './family-cloud-request.dto.js';

const MAX_ID_LENGTH = 128;
const AUTHORIZATION_EXAMPLE = '7c2f5d0e-1b7a-4a55-9c53-2d4b6e8f9a01';
const EXACTLY_ONE = 'Exactly one of contentIDList, catalogID and photoID';

/** Shares contents with one member of the family, who may have no right to read the cloud. */
export class AuthorizeDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference({ description: 'The member who may read them from now on' })
  userId: string;

  @TextList({
    ...{ optional: true, minItems: 1, maxItems: MAX_SHARED_CONTENTS, maxLength: MAX_ID_LENGTH },
    ...{ description: EXACTLY_ONE, example: [CONTENT_EXAMPLE] },
  })
  contentIDList?: string[];

  @Reference({ optional: true, description: `A folder with everything below it. ${EXACTLY_ONE}` })
  catalogID?: string;

  @Reference({ optional: true, description: `An album. ${EXACTLY_ONE}` })
  photoID?: string;

  @UnixMilliseconds({ optional: true, description: 'When it ends; absent: when it is revoked' })
  expireTime?: number;
}

/** A share. */
export class AuthorizationDto {
  @Text({ example: AUTHORIZATION_EXAMPLE })
  authorizationID: string;

  @Text({ description: 'With whom it is shared' })
  userId: string;

  @Text({ description: 'Who shared it' })
  authorizerUserId: string;

  @TextList({ maxItems: MAX_SHARED_CONTENTS, description: 'What the caller sees of the contents that it names' })
  contentIDList: string[];

  @Text({ description: 'The folder that is shared; otherwise empty', example: '' })
  catalogID: string;

  @Text({ description: 'The album that is shared; otherwise empty', example: '' })
  photoID: string;

  @UnixMilliseconds()
  createTime: number;

  @UnixMilliseconds({ nullable: true, description: 'null: until it is revoked' })
  expireTime: number | null;
}

/** A share that has just been made. */
export class AuthorizedDto extends AuthorizationDto {
  @Flag({
    description:
      'false: among what it shows are files of which the member gets the original, with all that they say beside ' +
      'their contents (author, place): documents, most formats of sound, and unknown ones',
  })
  metadataRemoved: boolean;
}

export class QueryAuthorizationDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Nested(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

export class AuthorizationListDto {
  @Integer({ min: 0, description: 'Shares on all pages', example: 1 })
  totalCount: number;

  @NestedList(() => AuthorizationDto, { maxItems: 200, description: 'The newest first' })
  authorizationList: AuthorizationDto[];
}

export class RevokeAuthorizationDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference({ example: AUTHORIZATION_EXAMPLE })
  authorizationID: string;
}
