import { createHash } from 'node:crypto';
import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, validationError } from '@family-watch/domain/kernel/contracts/service-error';
import { escapeHtml } from '@family-watch/platform/http/escape-html';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { rawBodyOf } from '@family-watch/platform/http/raw-callback-body';
import { OrderSettlementService } from './order-settlement.service.js';
import { PaymentProviders } from './providers/payment-providers.js';
import {
  SANDBOX_ACTION,
  SandboxProvider,
  type SandboxAction,
  type SandboxPayment,
} from './providers/sandbox.provider.js';

const PAGE_STYLE = `body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
button{font:inherit;margin:0 .5rem .5rem 0;padding:.4rem 1rem}`;

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': [
    `default-src 'none'`,
    `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
};

const STATE_TEXTS: Readonly<Record<SandboxPayment['state'], string>> = {
  WAITING: 'The payment is expected.',
  DELAYED: 'The payment will arrive in a few seconds.',
  PAID: 'The payment was made. You can return to the app.',
  REFUSED: 'The payment was refused.',
  CLOSED: 'The order was closed and can no longer be paid.',
  REFUNDED: 'The payment was refunded.',
};

/** The page of the sandbox provider, on which a payer pays, refuses or delays a payment without money. */
@ApiTags('Payments')
@Controller('apis/v2/payment/sandbox')
export class SandboxController {
  constructor(
    private readonly providers: PaymentProviders,
    private readonly settlement: OrderSettlementService,
  ) {}

  @Get(':token')
  @ApiProduces('text/html')
  @Operation({
    id: 'getSandboxPayment',
    access: 'public',
    hasEnvelope: false,
    summary: 'Show the payment page of the sandbox',
    errors: ['LINK_NOT_FOUND'],
  })
  async show(@Param('token') token: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return sendPage(await this.sandbox.findByToken(token), reply);
  }

  @Post(':token')
  @ApiProduces('text/html')
  @Operation({
    id: 'submitSandboxPayment',
    access: 'public',
    rawBody: true,
    hasEnvelope: false,
    summary: 'Pay, refuse or delay a sandbox payment',
    description: 'The body is a form with the field `action`: `pay`, `refuse` or `delay`.',
    errors: ['LINK_NOT_FOUND'],
  })
  async submit(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { sandbox } = this;
    const payment = await sandbox.findByToken(token);
    const callback = await sandbox.perform(payment, parseAction(rawBodyOf(request)), Date.now());
    if (callback) await this.settlement.receiveCallback(sandbox.name, callback);
    return sendPage(await sandbox.findByToken(token), reply);
  }

  /** @throws ServiceError LINK_NOT_FOUND if the sandbox is not configured */
  private get sandbox(): SandboxProvider {
    const provider = this.providers.find('sandbox');
    if (!(provider instanceof SandboxProvider)) throw new ServiceError('LINK_NOT_FOUND');
    return provider;
  }
}

function parseAction(form: Buffer): SandboxAction {
  const action = new URLSearchParams(form.toString()).get('action');
  const found = Object.values(SANDBOX_ACTION).find((value) => value === action);
  if (!found) throw validationError('action', 'isIn', 'action must be pay, refuse or delay');
  return found;
}

function sendPage({ title, amount, currency, state }: SandboxPayment, reply: FastifyReply): string {
  void reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8');
  const buttons = Object.values(SANDBOX_ACTION).map(
    (action) => `<button name="action" value="${action}">${action}</button>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Payment sandbox</title>
<style>${PAGE_STYLE}</style></head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>${formatAmount(amount, currency)}. This is a test payment without money.</p>
<p>${STATE_TEXTS[state]}</p>
${state === 'WAITING' ? `<form method="post">${buttons.join('')}</form>` : ''}
</body>
</html>
`;
}

/** @param amount - in the minor unit of the currency */
function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  return escapeHtml(format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2)));
}
