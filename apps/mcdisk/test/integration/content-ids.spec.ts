import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { newContentId, newContentIdSql } from '../../src/files/contents/content-id.js';
import { CloudServer } from '../support/cloud-server.js';

let server: CloudServer;
beforeAll(async () => {
  server = await CloudServer.getShared();
});
afterAll(() => server.stop());

test('content ids of one cloud have the same prefix, in TypeScript as in SQL, and are otherwise random', async () => {
  const clouds = [randomUUID(), randomUUID(), 'wölkchen'];
  const ids = clouds.flatMap((cloud) => [newContentId(cloud), newContentId(cloud)]);
  const rows = await server.query<{ id: string }>(
    `SELECT ${newContentIdSql('cloud')} AS id FROM unnest($1::text[]) AS cloud`,
    [clouds],
  );
  const all = [...ids, ...rows.map(({ id }) => id)];
  expect(all.filter((id) => !isUuid(id))).toEqual([]);
  expect(new Set(all).size).toBe(9);
  expect(new Set(all.map((id) => id.slice(0, 8))).size).toBe(3);
  expect(new Set(all.map((id) => id.slice(8))).size).toBe(9);
});
