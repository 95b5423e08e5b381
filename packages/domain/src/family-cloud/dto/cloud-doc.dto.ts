import { ReferenceField } from '../../kernel/dto/fields.js';
import { FolderIdField, FolderPathField, CloudIdField, ContentNameField } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

export class CreateCloudDocDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @FolderIdField()
  parentCatalogID?: string;

  @FolderPathField('Path of the parent folder. If `parentCatalogID` is given as well, both must name the same folder.')
  path?: string;

  @ContentNameField({ example: 'Holidays' })
  catalogName: string;
}

export class ModifyCloudDocDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField()
  catalogID: string;

  @ContentNameField({ example: 'Holidays by the sea' })
  catalogName: string;
}
