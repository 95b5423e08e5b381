import { expect, test } from '@jest/globals';
import type { AppStatusDto } from '@family-watch/domain/operators/dto/event-bus.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import type { AdministeredAppsService } from './administered-apps.service.js';
import { EventBusService } from './event-bus.service.js';

test.each([new ServiceError('SERVICE_UNAVAILABLE'), new DatabaseUnavailableError()])(
  'the status of the other apps is returned if one fails with %s',
  async (failure) => {
    const ask = async (app: string): Promise<Partial<AppStatusDto>> => {
      if (app === 'gateway') throw failure;
      return { app };
    };
    const eventBus = new EventBusService({ ask } as unknown as AdministeredAppsService);
    expect(await eventBus.getStatus()).toEqual({
      items: [{ app: 'userctx' }, { app: 'mcdisk' }],
      unavailable: ['gateway'],
    });
  },
);
