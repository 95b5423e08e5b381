import type { UploadReceiptDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';

/** What is given after the commit. Throws for an upload that is not complete: a receipt may never come before. */
export function toUploadReceipt({ contentId, size, digest, completedAt }: UploadEntity): UploadReceiptDto {
  if (digest === null || completedAt === null) throw new TypeError('A receipt needs a complete upload');
  return {
    contentID: contentId,
    contentSize: size,
    digest,
    receipt: `sha256=${digest};size=${size};time=${completedAt}`,
  };
}
