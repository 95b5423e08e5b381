import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllOrdersQueryDto, OrderListDto } from '@family-watch/domain/payments/dto/payment.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { OrdersService } from './orders.service.js';

/** Orders of all families, for operators. */
@ApiTags('Operators: billing')
@Controller('apis/v2/operator/order')
export class AllOrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Get('list')
  @Operation({
    id: 'listAllOrders',
    access: { operatorRoles: ['BILLING', 'ADMIN'], auditedFields: ['familyId', 'state'] },
    summary: 'List the orders of all families',
    description: 'Newest first.',
    response: OrderListDto,
  })
  list(@Query() query: AllOrdersQueryDto): Promise<OrderListDto> {
    return this.orders.listAll(query);
  }
}
