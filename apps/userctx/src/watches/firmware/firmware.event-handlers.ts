import { Injectable } from '@nestjs/common';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { FirmwareRepository } from './firmware.repository.js';

/** Makes images available whose bytes have arrived at mcdisk. */
@Injectable()
export class FirmwareEventHandlers {
  constructor(private readonly firmware: FirmwareRepository) {}

  @OnEvent('mcdisk.firmware-image.stored', { handler: 'userctx.firmware.image-stored' })
  async markReady({ payload: { imageId } }: HandledEvent<'mcdisk.firmware-image.stored'>): Promise<void> {
    await this.firmware.markReady(imageId);
  }
}
