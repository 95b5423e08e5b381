import { Controller, Param, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AliyunReceiptResponseDto, TencentcloudReceiptResponseDto } from '@family-watch/domain/sms/dto/sms-receipt.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { rawBodyOf } from '@family-watch/platform/http/raw-callback-body';
import type { ReceiptCallback } from './providers/sms-provider.js';
import { SmsReceiptsService } from './sms-receipts.service.js';

/** Delivery receipts of SMS providers. Each provider has its own format and authenticates in its own way. */
@ApiTags('SMS receipts')
@Controller('apis/v2/userctx/sms/receipt')
export class SmsReceiptsController {
  constructor(private readonly receipts: SmsReceiptsService) {}

  @Post('twilio')
  @Operation({
    id: 'receiveTwilioReceipt',
    access: 'public',
    limit: 'callback',
    rawBody: true,
    summary: 'Receive a receipt of Twilio',
    description: 'A form with the header `X-Twilio-Signature`. The URL is passed to Twilio with each SMS.',
    errors: ['FORBIDDEN'],
  })
  receiveTwilio(@Req() request: FastifyRequest, @Query('messageId') messageId?: unknown): Promise<void> {
    return this.receipts.receive('twilio', {
      ...callbackOf(request),
      ...(typeof messageId === 'string' ? { messageId } : {}),
    });
  }

  @Post('webhook')
  @Operation({
    id: 'receiveWebhookReceipt',
    access: 'public',
    limit: 'callback',
    rawBody: true,
    summary: 'Receive a receipt of the webhook',
    description:
      'JSON `{messageId, state, errorCode?}`; `state` is DELIVERED or UNDELIVERED. `X-Family-Watch-Signature` is the ' +
      'hexadecimal HMAC-SHA-256 of `<timestamp>.<body>` with SMS_WEBHOOK_SECRET, `X-Family-Watch-Timestamp` the ' +
      'current time in Unix seconds.',
    errors: ['FORBIDDEN'],
  })
  receiveWebhook(@Req() request: FastifyRequest): Promise<void> {
    return this.receipts.receive('webhook', callbackOf(request));
  }

  @Post('aliyun/:token')
  @Operation({
    id: 'receiveAliyunReceipts',
    access: 'public',
    limit: 'callback',
    rawBody: true,
    summary: 'Receive receipts of Alibaba Cloud',
    description: 'A list of reports (SmsReport). The last segment of the path is SMS_RECEIPT_TOKEN.',
    response: AliyunReceiptResponseDto,
    errors: ['FORBIDDEN'],
  })
  async receiveAliyun(
    @Req() request: FastifyRequest,
    @Param('token') token: string,
  ): Promise<AliyunReceiptResponseDto> {
    await this.receipts.receive('aliyun', { ...callbackOf(request), token });
    return { code: 0, msg: 'OK' };
  }

  @Post('tencentcloud/:token')
  @Operation({
    id: 'receiveTencentcloudReceipts',
    access: 'public',
    limit: 'callback',
    rawBody: true,
    summary: 'Receive receipts of Tencent Cloud',
    description: 'A list of sending states. The last segment of the path is SMS_RECEIPT_TOKEN.',
    response: TencentcloudReceiptResponseDto,
    errors: ['FORBIDDEN'],
  })
  async receiveTencentcloud(
    @Req() request: FastifyRequest,
    @Param('token') token: string,
  ): Promise<TencentcloudReceiptResponseDto> {
    await this.receipts.receive('tencentcloud', { ...callbackOf(request), token });
    return { result: 0, errmsg: 'OK' };
  }
}

function callbackOf(request: FastifyRequest): ReceiptCallback {
  return { body: rawBodyOf(request), headers: request.headers };
}
