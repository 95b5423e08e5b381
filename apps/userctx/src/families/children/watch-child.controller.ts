import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { WatchChildDto } from '@family-watch/domain/families/dto/child.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { ChildrenService } from './children.service.js';

@ApiTags('Watch device')
@Controller('apis/v2/userctx/watch/child')
export class WatchChildController {
  constructor(private readonly children: ChildrenService) {}

  @Get('detail')
  @Operation({
    id: 'getOwnChild',
    access: ['watch'],
    summary: 'Get the child that the watch is bound to',
    description:
      'What the watch may show: name, picture, time zone and step goal. A ContactsChangeNoticeMessage with the change ' +
      'CHILD_UPDATED tells that one of them changed.',
    response: WatchChildDto,
    errors: ['WATCH_UNBOUND'],
  })
  detail(@Caller() watch: Principal): Promise<WatchChildDto> {
    return this.children.detailForWatch(watch);
  }
}
