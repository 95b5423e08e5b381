import { IntegerField, NestedField } from '../../kernel/dto/fields.js';
import { CatalogTypeField, CloudTypeField } from './family-cloud-fields.js';

/** The account type that clients of the family cloud send; ignored. */
export class CommonAccountInfoDto {
  @IntegerField({ optional: true, example: 1 })
  accountType?: number;
}

/** Fields that clients of the family cloud send in every request. */
export class FamilyCloudRequestDto {
  @NestedField(() => CommonAccountInfoDto, { optional: true, description: 'Accepted and ignored' })
  commonAccountInfo?: CommonAccountInfoDto;

  @CloudTypeField()
  cloudType?: number;

  @CatalogTypeField()
  catalogType?: number;
}

/** Page of a list; `pageNum` starts at 1. */
export class PageInfoDto {
  @IntegerField({ optional: true, min: 1, max: 1_000_000, description: '1 by default', example: 1 })
  pageNum?: number;

  @IntegerField({ optional: true, min: 1, max: 200, description: '50 by default', example: 50 })
  pageSize?: number;
}
