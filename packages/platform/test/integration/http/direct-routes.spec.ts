import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Operation } from '../../../src/http/operation.decorator.js';
import { createTestApplication, startTestApplication } from '../../support/test-application.js';

const RATE_LIMIT = 5;
const CALLER_RATE_LIMIT = 3;

@Controller('app-api/direct')
class DirectController {
  readonly name = 'direct';
  calls = 0;

  @Get('public-route/:scenario')
  @Operation({ id: 'publicRoute', access: 'public', hasEnvelope: false, direct: true, summary: 'Direct' })
  async publicRoute(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.calls += 1;
    const { scenario } = request.params as { scenario: string };
    if (scenario === 'forbidden') throw new ServiceError('FORBIDDEN');
    if (scenario === 'broken') throw new Error('an internal secret');
    if (scenario === 'hijacked') {
      reply.hijack();
      throw new Error('nothing was sent');
    }
    if (scenario === 'interrupted') {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-length': 10 });
      reply.raw.write('half');
      reply.raw.destroy();
      throw new Error('broken in the middle');
    }
    await reply.send(`${this.name} ${scenario}`);
  }

  @Get('for-users')
  @Operation({ id: 'forUsers', access: ['user'], hasEnvelope: false, direct: true, summary: 'Direct' })
  async forUsers(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.calls += 1;
    await reply.send(request.principal?.id);
  }
}

const DIRECT_OPERATION = { access: 'public', hasEnvelope: false, direct: true, summary: 'Direct' } as const;

@Controller('app-api/guarded')
class GuardedController {
  @Get()
  @Operation({ ...DIRECT_OPERATION, id: 'guarded' })
  @UseGuards({ canActivate: () => false })
  async withGuard(@Req() _: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await reply.send();
  }
}

@Controller('app-api/parameter')
class ParameterController {
  @Get(':parameter')
  @Operation({ ...DIRECT_OPERATION, id: 'parameter' })
  async withParameter(@Param('parameter') parameter: string, @Res() reply: FastifyReply): Promise<void> {
    await reply.send(parameter);
  }
}

@Controller('app-api/enveloped')
class EnvelopedController {
  @Get()
  @Operation({ ...DIRECT_OPERATION, id: 'enveloped', hasEnvelope: true })
  async withEnvelope(@Req() _: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await reply.send();
  }
}

@Controller('app-api/duplicate-id')
class DuplicateIdController {
  @Get()
  @Operation({ ...DIRECT_OPERATION, id: 'forUsers' })
  async withDuplicateId(@Req() _: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await reply.send();
  }
}

const principalOf = (authorization: string | undefined): Principal => {
  const [, type, id = ''] = /^Bearer (user|watch):(\w+)$/.exec(authorization ?? '') ?? [];
  if (!type) throw new ServiceError('TOKEN_MISSING');
  return { type: type as Principal['type'], id, sessionId: 'one' };
};

const OPTIONS = {
  settings: { RATE_LIMIT_REQUESTS: RATE_LIMIT, RATE_LIMIT_CALLER_REQUESTS: CALLER_RATE_LIMIT },
  authenticate: async (authorization: string | undefined) => principalOf(authorization),
};

describe('direct operations', () => {
  let app: NestFastifyApplication;
  let url: string;
  const logs: string[] = [];

  beforeAll(async () => {
    ({ app, url } = await startTestApplication([DirectController], {
      ...OPTIONS,
      onLogLine: (line) => void logs.push(line),
    }));
  });
  afterAll(() => app.close());

  const calls = () => app.get(DirectController).calls;
  let address = 0;
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.inject({ url: `/app-api/direct/${path}`, headers, remoteAddress: `10.0.0.${(address += 1)}` });

  test('call the controller method with request and reply', async () => {
    const response = await get('public-route/thing', { 'x-request-id': 'mine' });
    expect([response.statusCode, response.body]).toEqual([200, 'direct thing']);
    expect(response.headers).toMatchObject({ 'x-request-id': 'mine', 'x-ratelimit-remaining': String(RATE_LIMIT - 1) });
  });

  test('reject requests without a token and with a token of another kind of principal', async () => {
    const before = calls();
    expect((await get('for-users')).json()).toMatchObject({ reason: 'TOKEN_MISSING' });
    const forbidden = await get('for-users', { authorization: 'Bearer watch:w1' });
    expect(forbidden.statusCode).toBe(403);
    expect(forbidden.json()).toMatchObject({ reason: 'FORBIDDEN' });
    expect(calls()).toBe(before);
    expect((await get('for-users', { authorization: 'Bearer user:u1' })).body).toBe('u1');
  });

  test('are rate limited, and return the seconds to wait in Retry-After', async () => {
    const often = '/app-api/direct/public-route/often';
    const responses = [];
    for (let number = 0; number <= RATE_LIMIT; number += 1)
      responses.push(await app.inject({ url: often, remoteAddress: '10.1.1.1' }));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([...Array<number>(RATE_LIMIT).fill(200), 429]);
    expect(responses.at(-1)?.json()).toMatchObject({ reason: 'RATE_LIMITED' });
    expect(Number(responses.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('are rate limited per caller if they need a token, from whatever address', async () => {
    const responses = [];
    for (const user of [...Array<string>(CALLER_RATE_LIMIT + 1).fill('often'), 'other'])
      responses.push(await get('for-users', { authorization: `Bearer user:${user}` }));
    const accepted = Array<number>(CALLER_RATE_LIMIT).fill(200);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([...accepted, 429, 200]);
    expect(responses[CALLER_RATE_LIMIT]?.json()).toMatchObject({ reason: 'RATE_LIMITED' });
    expect(Number(responses[CALLER_RATE_LIMIT]?.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('return errors in the usual format without internal details', async () => {
    expect((await get('public-route/forbidden')).json()).toMatchObject({ reason: 'FORBIDDEN' });
    const broken = await get('public-route/broken');
    expect([broken.statusCode, broken.body.includes('secret')]).toEqual([500, false]);
    expect(logs.some((line) => line.includes('an internal secret'))).toBe(true);
  });

  test('close the connection when the method hijacks the reply and sends nothing', async () => {
    await expect(fetch(`${url}/app-api/direct/public-route/hijacked`)).rejects.toThrow();
    expect(logs.some((line) => line.includes('nothing was sent'))).toBe(true);
  });

  test.each([
    ['a guard of the controller', GuardedController],
    ['parameters other than request and reply', ParameterController],
    ['an envelope', EnvelopedController],
    ['a duplicate operation id', DuplicateIdController],
  ])('prevent the start of the application when declared with %s', async (_, controller) => {
    const rejected = createTestApplication([DirectController, controller], OPTIONS);
    await expect(rejected).rejects.toThrow(/is direct|have the id/);
  });

  test('send no second response after the first one was interrupted', async () => {
    await expect(
      fetch(`${url}/app-api/direct/public-route/interrupted`).then((response) => response.text()),
    ).rejects.toThrow();
    expect((await get('public-route/after')).statusCode).toBe(200);
    expect(logs.some((line) => line.includes('broken in the middle'))).toBe(true);
  });
});
