import type { UploadReceiptDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';

/**
 * Returns the receipt of a committed upload.
 * @throws TypeError when the upload is not complete
 */
export function toUploadReceipt({ contentId, size, digest, completedAt }: UploadEntity): UploadReceiptDto {
  if (digest === null || completedAt === null) throw new TypeError('A receipt needs a complete upload');
  return {
    contentID: contentId,
    contentSize: size,
    digest,
    receipt: `sha256=${digest};size=${size};time=${completedAt}`,
  };
}
