import { IntegerField, NestedField } from '../../kernel/dto/fields.js';
import { CatalogTypeField, CloudTypeField } from './family-cloud-fields.js';

/** The account kind that clients of the family cloud send along; it decides nothing. */
export class CommonAccountInfoDto {
  @IntegerField({ optional: true, example: 1 })
  accountType?: number;
}

/** What clients of the family cloud send in every call. */
export class FamilyCloudRequestDto {
  @NestedField(() => CommonAccountInfoDto, { optional: true, description: 'Accepted and without effect' })
  commonAccountInfo?: CommonAccountInfoDto;

  @CloudTypeField()
  cloudType?: number;

  @CatalogTypeField()
  catalogType?: number;
}

/** Which page of a list: `pageNum` counts from 1. */
export class PageInfoDto {
  @IntegerField({ optional: true, min: 1, max: 1_000_000, description: '1 by default', example: 1 })
  pageNum?: number;

  @IntegerField({ optional: true, min: 1, max: 200, description: '50 by default', example: 50 })
  pageSize?: number;
}
