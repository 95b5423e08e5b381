import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  AppStatusesDto,
  DeadLetterIdsDto,
  DeadLetterPageDto,
  DeadLetterResultsDto,
  DeadLettersQueryDto,
} from '@family-watch/domain/operators/dto/event-bus.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { EventBusService } from './event-bus.service.js';

/** The event bus and the job queues of all apps, for operators. */
@ApiTags('Operators: event bus')
@Controller('apis/v2/operator')
export class EventBusController {
  constructor(private readonly eventBus: EventBusService) {}

  @Get('event-bus/status')
  @Operation({
    id: 'getEventBusStatus',
    access: { operatorRoles: ['ADMIN'] },
    summary: 'Show outboxes, retry queues and job queues',
    response: AppStatusesDto,
  })
  getStatus(): Promise<AppStatusesDto> {
    return this.eventBus.getStatus();
  }

  @Get('dead-letters/list')
  @Operation({
    id: 'listDeadLetters',
    access: { operatorRoles: ['ADMIN'], auditedFields: ['app', 'handler'] },
    summary: "List an app's dead letters",
    description: 'Events that a handler failed to process in all attempts, oldest first, without their payload.',
    response: DeadLetterPageDto,
    errors: ['SERVICE_UNAVAILABLE'],
  })
  listDeadLetters(@Query() query: DeadLettersQueryDto): Promise<DeadLetterPageDto> {
    return this.eventBus.listDeadLetters(query);
  }

  @Post('dead-letters/replay')
  @Operation({
    id: 'replayDeadLetters',
    access: { operatorRoles: ['ADMIN'], auditedFields: ['app', 'deadLetterIds'] },
    summary: 'Process dead letters again',
    description: 'Moves at most 100 events back to the retry queue of their handler.',
    response: DeadLetterResultsDto,
    errors: ['SERVICE_UNAVAILABLE'],
  })
  replayDeadLetters(@Body() request: DeadLetterIdsDto): Promise<DeadLetterResultsDto> {
    return this.eventBus.replayDeadLetters(request);
  }

  @Post('dead-letters/drop')
  @Operation({
    id: 'dropDeadLetters',
    access: { operatorRoles: ['ADMIN'], auditedFields: ['app', 'deadLetterIds'] },
    summary: 'Delete dead letters',
    description: 'At most 100. Cannot be undone.',
    response: DeadLetterResultsDto,
    errors: ['SERVICE_UNAVAILABLE'],
  })
  dropDeadLetters(@Body() request: DeadLetterIdsDto): Promise<DeadLetterResultsDto> {
    return this.eventBus.dropDeadLetters(request);
  }
}
