import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { rawBodyOf } from './callback-body.js';
import { OrderSettlementService } from './order-settlement.service.js';

/** Id of the operation that receives the callbacks of providers. */
export const CALLBACK_OPERATION = 'notifyPayment';

@ApiTags('Payments')
@Controller('apis/v2/payment')
export class PaymentCallbacksController {
  constructor(private readonly settlement: OrderSettlementService) {}

  @Post('notify/:provider')
  @Operation({
    id: CALLBACK_OPERATION,
    access: 'public',
    limit: 'callback',
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
