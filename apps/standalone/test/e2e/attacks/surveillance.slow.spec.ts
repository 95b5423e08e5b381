import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestService } from '../../support/test-service.js';

interface Documents {
  openapi: { paths: Record<string, Record<string, { operationId?: string; summary?: string }>> };
  asyncapi: { components: { messages: Record<string, { name?: string }> }; channels: object };
}

/** Parts of names of functions with which children's watches were turned into listening devices. */
const SURVEILLANCE =
  /listen(?!rol|titl)|eavesdrop|monitor|snapshot|capture|microphone|record|camera|auto.?(answer|accept|pick)|silent|covert|dial.?back/i;

describe('A14, A15 functions that turn a watch into a listening device', () => {
  let service: TestService;
  let documents: Documents;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    const read = async (path: string) => (await fetch(`${service.url}${path}`)).json();
    documents = {
      openapi: (await read('/docs/openapi.json')) as Documents['openapi'],
      asyncapi: (await read('/docs/asyncapi.json')) as Documents['asyncapi'],
    };
  });
  afterAll(() => service.stop());

  test('the only remote commands are the five documented ones', () => {
    const paths = Object.keys(documents.openapi.paths).filter((path) => path.includes('/remote-control/'));
    const names = paths.map((path) => path.slice(path.lastIndexOf('/') + 1)).toSorted();
    expect(names).toEqual(['cancel', 'find', 'list', 'reboot', 'shutdown']);
  });

  test('no operation and no message opens a microphone or a camera, or answers a call by itself', () => {
    const operations = Object.entries(documents.openapi.paths).flatMap(([path, methods]) =>
      Object.values(methods).map(({ operationId = '' }) => `${path} ${operationId}`),
    );
    const messages = Object.keys(documents.asyncapi.components.messages);
    expect([operations.length > 150, messages.length > 20]).toEqual([true, true]);
    expect([...operations, ...messages].filter((name) => SURVEILLANCE.test(name))).toEqual([]);
  });
});
