import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Body, Controller, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { StringField } from '@family-watch/domain/kernel/dto/fields';
import { Operation } from '../../../src/http/operation.decorator.js';
import { startTestApplication } from '../../support/test-application.js';

class ProofDto {
  @StringField()
  proof: string;
}

@Controller('apis/v2')
class ProofsController {
  @Post('proofs')
  @Operation({ id: 'prove', access: 'public', limit: 'proof', summary: 'Prove' })
  prove(@Body() { proof }: ProofDto): object {
    if (proof !== 'genuine') throw new ServiceError('SIGNATURE_INVALID');
    return {};
  }
}

let app: NestFastifyApplication;
let baseUrl: string;

beforeAll(async () => {
  ({ app, url: baseUrl } = await startTestApplication([ProofsController], {
    settings: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_REQUESTS: 3, RATE_LIMIT_PROOFS: 20 },
  }));
});
afterAll(() => app.close());

/** @returns the statuses of the responses, and the limit that rejected the last one */
async function prove(proof: string, count: number, ip: string): Promise<{ statuses: number[]; limit: unknown }> {
  const statuses: number[] = [];
  let limit: unknown;
  for (let index = 0; index < count; index += 1) {
    const response = await fetch(`${baseUrl}/apis/v2/proofs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
      body: JSON.stringify({ proof }),
    });
    statuses.push(response.status);
    const { details = [] } = (await response.json()) as { details?: { rule: string }[] };
    limit = details[0]?.rule;
  }
  return { statuses, limit };
}

test('genuine proofs of one address are accepted beyond the limit of other requests without a token', async () => {
  const { statuses, limit } = await prove('genuine', 21, '192.0.2.1');
  expect(statuses).toEqual([...Array<number>(20).fill(200), 429]);
  expect(limit).toBe('requests.proof');
});

test('A34 wrong proofs of one address count like genuine ones, and do not reject a genuine one before that limit', async () => {
  const ip = '192.0.2.2';
  expect((await prove('wrong', 19, ip)).statuses).toEqual(Array<number>(19).fill(401));
  expect((await prove('genuine', 1, ip)).statuses).toEqual([200]);
  expect((await prove('wrong', 1, ip)).limit).toBe('requests.proof');
  expect((await prove('genuine', 1, '192.0.2.3')).statuses).toEqual([200]);
});
