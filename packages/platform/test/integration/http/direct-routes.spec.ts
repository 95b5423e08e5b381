import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Controller, Get, Module, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Authenticator } from '../../../src/auth/authenticator.js';
import { Environment } from '../../../src/config/environment.js';
import { createApplication } from '../../../src/http/create-application.js';
import { Operation } from '../../../src/http/operation.decorator.js';
import { createLogger } from '../../../src/observability/logger.js';

const REQUESTS = 5;

@Controller('app-api/direct')
class LeanController {
  readonly name = 'direct';
  asked = 0;

  @Get('for-anybody/:what')
  @Operation({ id: 'forAnybody', access: 'public', enveloped: false, direct: true, summary: 'Direct' })
  async forAnybody(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.asked += 1;
    const { what } = request.params as { what: string };
    if (what === 'refused') throw new ServiceError('FORBIDDEN');
    if (what === 'broken') throw new Error('a secret of the inside');
    if (what === 'taken over') {
      reply.hijack();
      throw new Error('nothing was said');
    }
    if (what === 'begun') {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-length': 10 });
      reply.raw.write('half');
      reply.raw.destroy();
      throw new Error('broken in the middle');
    }
    await reply.send(`${this.name} ${what}`);
  }

  @Get('for-users')
  @Operation({ id: 'forUsers', access: ['user'], enveloped: false, direct: true, summary: 'Direct' })
  async forUsers(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.asked += 1;
    await reply.send(request.principal?.id);
  }
}

@Module({ controllers: [LeanController] })
class LeanModule {}

const DIRECT = { access: 'public', enveloped: false, direct: true, summary: 'Direct' } as const;

@Controller('app-api/guarded')
class GuardedController {
  @Get()
  @Operation({ ...DIRECT, id: 'guarded' })
  @UseGuards({ canActivate: () => false })
  async guarded(@Req() _: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await reply.send();
  }
}

@Controller('app-api/parameter')
class ParameterController {
  @Get(':what')
  @Operation({ ...DIRECT, id: 'parameter' })
  async parameter(@Param('what') what: string, @Res() reply: FastifyReply): Promise<void> {
    await reply.send(what);
  }
}

@Controller('app-api/enveloped')
class EnvelopedController {
  @Get()
  @Operation({ ...DIRECT, id: 'enveloped', enveloped: true })
  async inEnvelope(@Req() _: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await reply.send();
  }
}

@Controller('app-api/twice')
class TwiceController {
  @Get()
  @Operation({ ...DIRECT, id: 'forUsers' })
  async twice(@Req() _: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await reply.send();
  }
}

const partsOf = (module: Type<unknown>, logs: string[]) => ({
  module,
  environment: Object.assign(new Environment(), { RATE_LIMIT_REQUESTS: REQUESTS }),
  logger: createLogger('info', 'direct', { write: (line: string) => void logs.push(line) }),
  authenticator: {
    authenticate: async (authorization: string | undefined) => principalOf(authorization),
  } as unknown as Authenticator,
});

const principalOf = (authorization: string | undefined): Principal => {
  const [, type, id = ''] = /^Bearer (user|watch):(\w+)$/.exec(authorization ?? '') ?? [];
  if (!type) throw new ServiceError('TOKEN_MISSING');
  return { type: type as Principal['type'], id, sessionId: 'one' };
};

describe('direct operations', () => {
  let app: NestFastifyApplication;
  const logs: string[] = [];

  beforeAll(async () => {
    app = await createApplication(partsOf(LeanModule, logs));
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  const asked = () => app.get(LeanController).asked;
  let address = 0;
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.inject({ url: `/app-api/direct/${path}`, headers, remoteAddress: `10.0.0.${(address += 1)}` });

  test('are called with the request and the reply, by the controller that has them', async () => {
    const answer = await get('for-anybody/thing', { 'x-request-id': 'mine' });
    expect([answer.statusCode, answer.body]).toEqual([200, 'direct thing']);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'x-ratelimit-remaining': String(REQUESTS - 1) });
  });

  test('are refused as every other: without a token, with that of another kind', async () => {
    const before = asked();
    expect((await get('for-users')).json()).toMatchObject({ reason: 'TOKEN_MISSING' });
    const refused = await get('for-users', { authorization: 'Bearer watch:w1' });
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ reason: 'FORBIDDEN' });
    expect(asked()).toBe(before);
    expect((await get('for-users', { authorization: 'Bearer user:u1' })).body).toBe('u1');
  });

  test('count as every other: whoever asks too often is told how long to wait', async () => {
    const url = '/app-api/direct/for-anybody/often';
    const answers = [];
    for (let number = 0; number <= REQUESTS; number += 1)
      answers.push(await app.inject({ url, remoteAddress: '10.1.1.1' }));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([...Array<number>(REQUESTS).fill(200), 429]);
    expect(answers.at(-1)?.json()).toMatchObject({ reason: 'RATE_LIMITED' });
    expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('answer errors as every other, and tell nobody outside what broke', async () => {
    expect((await get('for-anybody/refused')).json()).toMatchObject({ reason: 'FORBIDDEN' });
    const broken = await get('for-anybody/broken');
    expect([broken.statusCode, broken.body.includes('secret')]).toEqual([500, false]);
    expect(logs.some((line) => line.includes('a secret of the inside'))).toBe(true);
  });

  test('what was taken over and not begun ends with its connection', async () => {
    const url = `${await app.getUrl()}/app-api/direct/for-anybody/taken%20over`;
    await expect(fetch(url)).rejects.toThrow();
    expect(logs.some((line) => line.includes('nothing was said'))).toBe(true);
  });

  test.each([
    ['a guard of its own', GuardedController],
    ['other parameters', ParameterController],
    ['an envelope', EnvelopedController],
    ['an id that there is already', TwiceController],
  ])('with %s do not start', async (_, controller) => {
    const module = class Refused {};
    Module({ controllers: [LeanController, controller] })(module);
    await expect(createApplication(partsOf(module, []))).rejects.toThrow(/is direct|have the id/);
  });

  test('an answer that broke off is not followed by another', async () => {
    const url = `${await app.getUrl()}/app-api/direct/for-anybody/begun`;
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
    expect((await get('for-anybody/after')).statusCode).toBe(200);
    expect(logs.some((line) => line.includes('broken in the middle'))).toBe(true);
  });
});
