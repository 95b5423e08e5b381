import { Injectable } from '@nestjs/common';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { FirmwareImagesService } from './firmware-images.service.js';

/** Releases the bytes of withdrawn firmware images. */
@Injectable()
export class FirmwareEventHandlers {
  constructor(private readonly images: FirmwareImagesService) {}

  @OnEvent('userctx.firmware-image.withdrawn', { handler: 'mcdisk.firmware.image-withdrawn' })
  async releaseBytes({ payload: { imageId }, time }: HandledEvent<'userctx.firmware-image.withdrawn'>): Promise<void> {
    await this.images.withdraw(imageId, time);
  }
}
