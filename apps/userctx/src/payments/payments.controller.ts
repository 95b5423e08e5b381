import { Body, Controller, Get, Inject, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  CheckoutDto,
  CreateOrderDto,
  EntitlementListDto,
  EntitlementListQueryDto,
  OrderDto,
  OrderListDto,
  OrderListQueryDto,
  OrderReferenceDto,
  PayOrderDto,
  ProductListDto,
} from '@family-watch/domain/payments/dto/payment.dto';
import { Environment } from '@family-watch/platform/config/environment';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { publicUrl } from '@family-watch/platform/http/public-url';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { EntitlementsService } from './entitlements.service.js';
import { OrdersService } from './orders.service.js';

@ApiTags('Payments')
@Controller('apis/v2/payment')
export class PaymentsController {
  constructor(
    private readonly orders: OrdersService,
    private readonly entitlements: EntitlementsService,
    @Inject(Environment) private readonly environment: Pick<Environment, 'PUBLIC_URL' | 'PUBLIC_HOSTS'>,
  ) {}

  @Get('product/list')
  @Operation({
    id: 'listProducts',
    access: ['user', 'watch'],
    summary: 'List the products on sale',
    description: 'Empty unless the operator of the service sells products.',
    response: ProductListDto,
  })
  listProducts(): Promise<ProductListDto> {
    return this.orders.listProducts();
  }

  @Post('order/create')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'createOrder',
    access: ['user', 'watch'],
    summary: 'Create an order',
    description:
      'The order keeps product and price as they are now. An order of a watch is a request to the guardians of its ' +
      'child; a guardian pays or cancels it. An unpaid order is closed after 24 hours.',
    response: OrderDto,
    errors: [
      'PRODUCT_NOT_FOUND',
      'FAMILY_NOT_FOUND',
      'CHILD_NOT_FOUND',
      'PERMISSION_MISSING',
      'WATCH_UNBOUND',
      'LIMIT_REACHED',
    ],
  })
  create(@Caller() caller: Principal, @Body() request: CreateOrderDto): Promise<OrderDto> {
    return this.orders.create(caller, request);
  }

  @Post('order/pay')
  @Operation({
    id: 'payOrder',
    access: ['user'],
    summary: 'Begin the payment of an order',
    description: 'Returns the same checkout until the order is paid, closed or expired. The payer has an hour to pay.',
    response: CheckoutDto,
    errors: ['ORDER_NOT_FOUND', 'PERMISSION_MISSING', 'ORDER_STATE', 'PAYMENT_UNAVAILABLE'],
  })
  pay(
    @Caller() caller: Principal,
    @Body() request: PayOrderDto,
    @Req() received: FastifyRequest,
  ): Promise<CheckoutDto> {
    return this.orders.pay(caller, request, publicUrl(this.environment, received, ''));
  }

  @Get('order/get')
  @Operation({
    id: 'getOrder',
    access: ['user', 'watch'],
    summary: 'Get an order',
    description: 'A watch gets the orders that it has created.',
    response: OrderDto,
    errors: ['ORDER_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  get(@Caller() caller: Principal, @Query() { orderId }: OrderReferenceDto): Promise<OrderDto> {
    return this.orders.get(caller, orderId);
  }

  @Get('order/list')
  @Operation({
    id: 'listOrders',
    access: ['user'],
    summary: "List a family's orders",
    description: 'Newest first.',
    response: OrderListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: OrderListQueryDto): Promise<OrderListDto> {
    return this.orders.list(caller, query);
  }

  @Post('order/close')
  @Operation({
    id: 'closeOrder',
    access: ['user'],
    summary: 'Cancel an unpaid order',
    description: 'Returns the order as paid if the provider has received the payment meanwhile.',
    response: OrderDto,
    errors: ['ORDER_NOT_FOUND', 'PERMISSION_MISSING', 'ORDER_STATE', 'PAYMENT_UNAVAILABLE'],
  })
  close(@Caller() caller: Principal, @Body() { orderId }: OrderReferenceDto): Promise<OrderDto> {
    return this.orders.close(caller, orderId);
  }

  @Post('order/refund')
  @Operation({
    id: 'refundOrder',
    access: ['user'],
    summary: 'Return a paid order',
    description:
      'For the owner, and for the guardian who paid. Ends what the order gave the family, and refunds the ' +
      'payment. Possible for 14 days. No file is deleted when the cloud becomes smaller; uploads are rejected ' +
      'until the files fit.',
    response: OrderDto,
    errors: ['ORDER_NOT_FOUND', 'PERMISSION_MISSING', 'ORDER_STATE'],
  })
  refund(@Caller() caller: Principal, @Body() { orderId }: OrderReferenceDto): Promise<OrderDto> {
    return this.orders.refund(caller, orderId);
  }

  @Get('entitlement/list')
  @Operation({
    id: 'listEntitlements',
    access: ['user'],
    summary: 'List what a family has paid for',
    description: 'Current and future entitlements.',
    response: EntitlementListDto,
    errors: ['FAMILY_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  listEntitlements(
    @Caller() caller: Principal,
    @Query() { familyId }: EntitlementListQueryDto,
  ): Promise<EntitlementListDto> {
    return this.entitlements.list(caller, familyId);
  }
}
