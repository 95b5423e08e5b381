import { StringField, StringListField } from '../../kernel/dto/fields.js';
import { MAX_CONTENTS_PER_DELETE } from '../contracts/content.js';
import { FolderPathField, CloudIdField, CONTENT_ID_EXAMPLE } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

/** The body's own limit comes first; any text of it is an id, so that a malformed one answers like an unknown one. */
export const MAX_ID_LENGTH = 256 * 1024;

/** Request of deleteContents (specification 2.7). */
export class DeleteContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @StringListField({
    minItems: 1,
    maxItems: MAX_CONTENTS_PER_DELETE,
    maxLength: MAX_ID_LENGTH,
    example: [CONTENT_ID_EXAMPLE],
  })
  contentIDList: string[];

  @FolderPathField('Only contents below this path are deleted; empty or absent: wherever they are')
  path?: string;

  @StringField({
    optional: true,
    maxLength: 4_096,
    description: 'device.ticket of a child; restricts, and opens nothing',
  })
  ticket?: string;
}

/** Result of deleteContents (specification 2.7): together exactly the distinct ids asked for. */
export class DeleteContentsResultDto {
  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Deleted, in the order first named' })
  deleteContIDList: string[];

  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Not deleted, in the order first named' })
  failureContIDList: string[];
}
