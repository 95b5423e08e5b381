import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { rawBodyOf } from '@family-watch/platform/http/raw-callback-body';
import { OrderSettlementService } from './order-settlement.service.js';

@ApiTags('Payments')
@Controller('apis/v2/payment')
export class PaymentCallbacksController {
  constructor(private readonly settlement: OrderSettlementService) {}

  @Post('notify/:provider')
  @Operation({
    id: 'notifyPayment',
    access: 'public',
    limit: 'callback',
    rawBody: true,
    hasEnvelope: false,
    summary: 'Receive a callback of a payment provider',
    description:
      'For payment providers only. The body has the format of the provider and must have its signature. A repeated ' +
      'callback has the same response and no further effect.',
    errors: ['CALLBACK_INVALID', 'ROUTE_NOT_FOUND'],
  })
  async notify(
    @Param('provider') provider: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const callback = { headers: request.headers, body: rawBodyOf(request) };
    const { contentType, body } = await this.settlement.receiveCallback(provider, callback);
    void reply.type(contentType);
    return body;
  }
}
