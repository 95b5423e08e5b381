import { Text, TextList } from '../../kernel/dto/fields.js';
import { MAX_DELETED_CONTENTS } from '../contracts/content.js';
import { CatalogPath, CloudId, CONTENT_EXAMPLE } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

/** The body's own limit comes first; any text of it is an id, so that a malformed one answers like an unknown one. */
export const MAX_ID_LENGTH = 256 * 1024;

/** Request of deleteContents (specification 2.7). */
export class DeleteContentsDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @TextList({ minItems: 1, maxItems: MAX_DELETED_CONTENTS, maxLength: MAX_ID_LENGTH, example: [CONTENT_EXAMPLE] })
  contentIDList: string[];

  @CatalogPath('Only contents below this path are deleted; empty or absent: wherever they are')
  path?: string;

  @Text({ optional: true, maxLength: 4_096, description: 'device.ticket of a child; restricts, and opens nothing' })
  ticket?: string;
}

/** Result of deleteContents (specification 2.7): together exactly the distinct ids asked for. */
export class DeleteContentsResultDto {
  @TextList({ maxItems: MAX_DELETED_CONTENTS, description: 'Deleted, in the order first named' })
  deleteContIDList: string[];

  @TextList({ maxItems: MAX_DELETED_CONTENTS, description: 'Not deleted, in the order first named' })
  failureContIDList: string[];
}
