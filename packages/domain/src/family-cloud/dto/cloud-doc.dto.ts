import { Reference } from '../../kernel/dto/fields.js';
import { CatalogId, CatalogPath, CloudId, ContentName } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

export class CreateCloudDocDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @CatalogId()
  parentCatalogID?: string;

  @CatalogPath('Path of the catalog that the folder goes into; with parentCatalogID, both must name the same one')
  path?: string;

  @ContentName({ example: 'Holidays' })
  catalogName: string;
}

export class ModifyCloudDocDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference()
  catalogID: string;

  @ContentName({ example: 'Holidays by the sea' })
  catalogName: string;
}
