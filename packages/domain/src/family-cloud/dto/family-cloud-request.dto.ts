import { Integer, Nested } from '../../kernel/dto/fields.js';
import { CatalogType, CloudType } from './family-cloud-fields.js';

/** The account kind that clients of the family cloud send along; it decides nothing. */
export class CommonAccountInfoDto {
  @Integer({ optional: true, example: 1 })
  accountType?: number;
}

/** What clients of the family cloud send in every call. */
export class FamilyCloudRequestDto {
  @Nested(() => CommonAccountInfoDto, { optional: true, description: 'Accepted and without effect' })
  commonAccountInfo?: CommonAccountInfoDto;

  @CloudType()
  cloudType?: number;

  @CatalogType()
  catalogType?: number;
}

/** Which page of a list: `pageNum` counts from 1. */
export class PageInfoDto {
  @Integer({ optional: true, min: 1, max: 1_000_000, description: '1 by default', example: 1 })
  pageNum?: number;

  @Integer({ optional: true, min: 1, max: 200, description: '50 by default', example: 50 })
  pageSize?: number;
}
