import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  FIRMWARE_IMAGE_PATH,
  FIRMWARE_IMAGE_STATE,
  FIRMWARE_LIMITS,
  FIRMWARE_TICKET,
  firmwareSigningPayload,
  type FirmwareTicketClaims,
} from '@family-watch/domain/watches/contracts/firmware';
import type {
  CreateFirmwareImageDto,
  FirmwareImageListDto,
  FirmwareImageListQueryDto,
  FirmwareImageUploadDto,
} from '@family-watch/domain/watches/dto/firmware.dto';
import type { FirmwareImageEntity } from '@family-watch/domain/watches/entities/firmware.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { TokenSigner } from '../../accounts/keys/token-signer.js';
import { isSignedBy, parsePublicKey } from '../identity/ed25519.js';
import { FirmwareRepository } from './firmware.repository.js';
import { RolloutRepository } from './rollout.repository.js';

/**
 * Manages firmware images. An image is signed with a key that the service does not have; the service accepts only
 * signatures of the keys in FIRMWARE_PUBLIC_KEYS, and never signs. mcdisk receives and sends the bytes, for tickets that
 * this service issues.
 */
@Injectable()
export class FirmwareImagesService {
  private readonly publicKeys: ReadonlyMap<string, Buffer>;

  /** @throws EnvironmentError for an invalid key */
  constructor(
    @Inject(Environment) { FIRMWARE_PUBLIC_KEYS }: Pick<Environment, 'FIRMWARE_PUBLIC_KEYS'>,
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly firmware: FirmwareRepository,
    private readonly rollouts: RolloutRepository,
    private readonly signer: TokenSigner,
  ) {
    this.publicKeys = parsePublicKeys(FIRMWARE_PUBLIC_KEYS ?? '');
  }

  /**
   * Announces an image and returns the URL for its bytes. The same request returns a new URL, so that a failed upload can
   * be repeated.
   * @param origin origin by which the caller reaches the service
   * @param caller for rate limits
   * @throws ServiceError FIRMWARE_SIGNATURE_INVALID, LIMIT_REACHED
   * @throws ServiceError FIRMWARE_IMAGE_EXISTS if another or a withdrawn image of the model has this version
   */
  async create(request: CreateFirmwareImageDto, origin: string, caller: string): Promise<FirmwareImageUploadDto> {
    const { model, version, size, digest, signature, keyId } = request;
    const key = this.publicKeys.get(keyId);
    if (!key || !isSignedBy(key, firmwareSigningPayload(request), signature))
      throw new ServiceError('FIRMWARE_SIGNATURE_INVALID');
    const image: FirmwareImageEntity = {
      imageId: randomUUID(),
      model,
      version,
      size,
      digest,
      signature: Buffer.from(signature, 'base64url'),
      keyId,
      state: FIRMWARE_IMAGE_STATE.ANNOUNCED,
      createdAt: Date.now(),
    };
    const stored = await this.addOrFind(image);
    const needsBytes = stored.state === FIRMWARE_IMAGE_STATE.ANNOUNCED;
    const uploadUrl = needsBytes ? await this.createUrl(stored, 'upload', { origin, sub: caller }) : null;
    return { imageId: stored.imageId, uploadUrl, expiresIn: FIRMWARE_TICKET.lifetime };
  }

  /** @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
  async list(query: FirmwareImageListQueryDto): Promise<FirmwareImageListDto> {
    const page = await this.firmware.findImagePage(query.model, decodeTimePage(query));
    const items = page.items.map((image) => ({ ...image, signature: image.signature.toString('base64url') }));
    return { ...page, items };
  }

  /**
   * Withdraws an image: stops its rollouts, and no watch gets it any more. Its version cannot be used again.
   * @throws ServiceError FIRMWARE_IMAGE_NOT_FOUND
   */
  async withdraw(imageId: string): Promise<void> {
    if (!isUuid(imageId)) throw new ServiceError('FIRMWARE_IMAGE_NOT_FOUND');
    await this.unitOfWork.run(async () => {
      const time = Date.now();
      if (await this.firmware.withdraw(imageId)) {
        await this.rollouts.stopAll(imageId, time);
        const payload = { imageId, time };
        await this.outbox.append({ name: 'userctx.firmware-image.withdrawn', key: imageId, payload });
      } else if (!(await this.firmware.findImage(imageId))) {
        throw new ServiceError('FIRMWARE_IMAGE_NOT_FOUND');
      }
    });
  }

  /** Returns the images that watches of the model may get: complete, not withdrawn, and signed with a trusted key. */
  async findAvailable(model: string): Promise<FirmwareImageEntity[]> {
    return (await this.firmware.findReadyImages(model)).filter(({ keyId }) => this.publicKeys.has(keyId));
  }

  /** Returns a URL at which the upload or download of the image may begin for five minutes. */
  async createUrl(
    { imageId, size, digest }: FirmwareImageEntity,
    scope: FirmwareTicketClaims['scope'],
    { origin, sub }: { origin: string; sub: string },
  ): Promise<string> {
    const ticket = await this.signer.signFirmwareTicket({ imageId, scope, size, digest, sub });
    return `${origin}${FIRMWARE_IMAGE_PATH}?ticket=${ticket}`;
  }

  private async addOrFind(image: FirmwareImageEntity): Promise<FirmwareImageEntity> {
    const existing = await this.firmware.findImageOfVersion(image.model, image.version);
    if (!existing) {
      if ((await this.firmware.countImages(image.model)) >= FIRMWARE_LIMITS.imagesPerModel)
        throw new ServiceError('LIMIT_REACHED');
      if (await this.firmware.addImage(image)) return image;
    }
    const stored = existing ?? (await this.firmware.findImageOfVersion(image.model, image.version));
    const isSame =
      stored?.digest === image.digest && stored.signature.equals(image.signature) && stored.keyId === image.keyId;
    if (!isSame || stored.state === FIRMWARE_IMAGE_STATE.WITHDRAWN) throw new ServiceError('FIRMWARE_IMAGE_EXISTS');
    return stored;
  }
}

function parsePublicKeys(list: string): Map<string, Buffer> {
  return new Map(
    list
      .split(',')
      .filter(Boolean)
      .map((entry) => {
        const [keyId = '', text = ''] = entry.split('=');
        const key = parsePublicKey(text);
        if (!key) throw new EnvironmentError([`FIRMWARE_PUBLIC_KEYS: ${keyId} is not a canonical Ed25519 key`]);
        return [keyId, key];
      }),
  );
}
