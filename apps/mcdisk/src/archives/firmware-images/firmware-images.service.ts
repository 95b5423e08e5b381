import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import {
  FIRMWARE_LIMITS,
  FIRMWARE_TICKET,
  type FirmwareTicketClaims,
} from '@family-watch/domain/watches/contracts/firmware';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { VerificationKeySource } from '@family-watch/platform/auth/token-verifier';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import {
  McdiskOutbox,
  McdiskUnitOfWork,
  TICKET_VERIFICATION_KEYS,
} from '../../infrastructure/mcdisk-infrastructure.js';
import type { OpenedFile } from '../../transfers/downloads/file-response.js';
import { readTicketOfUrl } from '../../files/contents/ticket-verifier.js';
import { BlobRepository } from '../../storage/blobs/blob.repository.js';
import { BlobSourceAbortedError, BlobStore, BlobTooLargeError } from '../../storage/blobs/blob-store.js';
import { putDeadline } from '../../transfers/uploads/raw-body.js';
import { FirmwareImageRepository } from './firmware-image.repository.js';

/** An image has bytes already, or was withdrawn while its bytes arrived. */
class ImageNotWantedError extends Error {
  override readonly name = 'ImageNotWantedError';
}

/**
 * Receives and sends the bytes of firmware images. userctx has verified the signature of an image, which covers size and
 * digest, and permits each upload and download by a ticket.
 */
@Injectable()
export class FirmwareImagesService {
  constructor(
    @Inject(TICKET_VERIFICATION_KEYS) private readonly keys: VerificationKeySource,
    private readonly limiter: RequestLimiter,
    private readonly store: BlobStore,
    private readonly blobs: BlobRepository,
    private readonly images: FirmwareImageRepository,
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly outbox: McdiskOutbox,
  ) {}

  /**
   * Receives an image in one request. Harmless if the image has been received before.
   * @param source the request with an unread body; it is destroyed only at its deadline
   * @param announcedLength the request's Content-Length, if it has one
   * @throws ServiceError TICKET_INVALID, RATE_LIMITED, STORE_FULL, STORE_UNAVAILABLE
   * @throws ServiceError UPLOAD_NOT_FOUND for an image that was withdrawn
   * @throws ServiceError BODY_TOO_LARGE, DIGEST_MISMATCH if the bytes are not those of the image
   * @throws ServiceError MALFORMED_REQUEST when the request was interrupted
   */
  async receive(ticket: unknown, ip: string, source: IncomingMessage, announcedLength?: number): Promise<void> {
    const { imageId, size, digest } = await this.verify(ticket, 'upload', ip);
    if (await this.isStored(imageId)) return;
    if (announcedLength !== undefined && announcedLength !== size)
      throw new ServiceError(announcedLength > size ? 'BODY_TOO_LARGE' : 'DIGEST_MISMATCH');
    const blobKey = randomUUID();
    await this.stage(blobKey, source, { size, digest });
    await this.store.promote(blobKey);
    try {
      await this.commit(imageId, { blobKey, size, digest });
    } catch (error) {
      if (!(error instanceof ImageNotWantedError)) throw error;
      await this.store.discard(blobKey).catch(() => undefined);
      await this.isStored(imageId);
    }
  }

  /**
   * Returns the image for which the ticket was issued.
   * @throws ServiceError TICKET_INVALID, RATE_LIMITED
   * @throws ServiceError LINK_NOT_FOUND for an image that was withdrawn
   */
  async resolve(ticket: unknown, ip: string): Promise<OpenedFile> {
    const { imageId, size, digest, sub } = await this.verify(ticket, 'download', ip);
    const image = await this.images.find(imageId);
    if (!image?.blobKey) throw new ServiceError('LINK_NOT_FOUND');
    const { blobKey, storedAt } = image;
    const file = {
      blobKey,
      size,
      digest,
      mediaType: 'application/octet-stream',
      name: `${imageId}.bin`,
      modifiedAt: storedAt,
    };
    // A download that has begun may end: the watch verifies the image, and does not install a withdrawn one.
    return { file, reader: { holder: sub as PrincipalKey, isStillAllowed: () => Promise.resolve(true) } };
  }

  /** Releases the bytes of a withdrawn image; garbage collection deletes them after its grace period. */
  async withdraw(imageId: string, now: number): Promise<void> {
    const blobKey = await this.images.withdraw(imageId, now);
    if (blobKey !== null) await this.blobs.condemnUnreferenced([blobKey], now);
  }

  private async verify(
    ticket: unknown,
    scope: FirmwareTicketClaims['scope'],
    ip: string,
  ): Promise<FirmwareTicketClaims> {
    const claims = await this.readClaims(ticket);
    const isValid = claims?.scope === scope;
    this.limiter.consumeFileLink(isValid ? (claims.sub as PrincipalKey) : undefined, ip);
    if (!isValid) throw new ServiceError('TICKET_INVALID');
    return claims;
  }

  private async readClaims(ticket: unknown): Promise<FirmwareTicketClaims | undefined> {
    const required = ['imageId', 'scope', 'size', 'digest', 'sub'];
    const claims = await readTicketOfUrl<FirmwareTicketClaims>(ticket, FIRMWARE_TICKET, required, this.keys);
    if (!claims) return undefined;
    const { imageId, size } = claims;
    return isUuid(imageId) && size > 0 && size <= FIRMWARE_LIMITS.imageBytes ? claims : undefined;
  }

  /** @throws ServiceError UPLOAD_NOT_FOUND for an image that was withdrawn */
  private async isStored(imageId: string): Promise<boolean> {
    const image = await this.images.find(imageId);
    if (image?.blobKey === null) throw new ServiceError('UPLOAD_NOT_FOUND');
    return image !== null;
  }

  /**
   * Stages the bytes and deletes them on failure. After a crash the bytes have no row, and garbage collection deletes
   * them.
   */
  private async stage(
    blobKey: string,
    source: IncomingMessage,
    { size, digest }: Pick<FirmwareTicketClaims, 'size' | 'digest'>,
  ): Promise<void> {
    const timeout = putDeadline(size, 0);
    const timer = setTimeout(() => source.destroy(new Error('The upload exceeded its deadline')), timeout);
    try {
      const staged = await this.store.stage(blobKey, source, size);
      if (staged.size !== size || staged.digest !== digest) throw new ServiceError('DIGEST_MISMATCH');
    } catch (error) {
      await this.store.discard(blobKey).catch(() => undefined);
      if (error instanceof BlobTooLargeError) throw new ServiceError('BODY_TOO_LARGE', { cause: error });
      if (error instanceof BlobSourceAbortedError) throw new ServiceError('MALFORMED_REQUEST', { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws ImageNotWantedError; nothing was changed */
  private async commit(imageId: string, blob: { blobKey: string; size: number; digest: string }): Promise<void> {
    await this.unitOfWork.run(async () => {
      const time = Date.now();
      if (!(await this.images.add(imageId, blob, time))) throw new ImageNotWantedError();
      const payload = { imageId, size: blob.size, digest: blob.digest, time };
      await this.outbox.append({ name: 'mcdisk.firmware-image.stored', key: imageId, payload });
    });
  }
}
