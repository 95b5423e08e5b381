import { StringField, StringListField } from '../../kernel/dto/fields.js';
import { MAX_CONTENTS_PER_DELETE } from '../contracts/content.js';
import { FolderPathField, CloudIdField, CONTENT_ID_EXAMPLE } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

/**
 * Maximum length of an id, equal to the maximum body size. Any text is a valid id, so that a malformed id fails like an
 * unknown id.
 */
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

  @FolderPathField('Deletes only contents below this path; empty or omitted: anywhere in the cloud')
  path?: string;

  @StringField({
    optional: true,
    maxLength: 4_096,
    description: '`device.ticket` of a child. It restricts the request and grants nothing.',
  })
  ticket?: string;
}

/** Result of deleteContents (specification 2.7). Each distinct requested id is in exactly one list of the result. */
export class DeleteContentsResultDto {
  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Deleted, in request order' })
  deleteContIDList: string[];

  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Not deleted, in request order' })
  failureContIDList: string[];
}
