import { ApiError, NetworkError, type Schema } from '@family-watch/client';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { SosAcknowledgements } from './sos-acknowledgements.js';

const SOS = { cid: 'mia', sosId: 'sos' };
const STORED = 'sos-acknowledgement sos';

describe('SosAcknowledgements', () => {
  const stored = new Map<string, unknown>();
  const acknowledge = jest.fn<(sos: object) => Promise<Schema<'SosDto'>>>();
  const accepted: unknown[] = [];
  let connect: () => void;

  function create(): SosAcknowledgements {
    const storage = {
      list: async () => [...stored.values()],
      set: async (kind: string, id: string, value: unknown) => void stored.set(`${kind} ${id}`, value),
      delete: async (kind: string, id: string) => void stored.delete(`${kind} ${id}`),
    };
    const gateway = { on: (_: string, callback: () => void) => (connect = callback) };
    const session = { client: { sos: { acknowledge } }, gateway, storage, ended: new AbortController().signal };
    return new SosAcknowledgements(session as never, (_, { state }) => accepted.push(state));
  }

  beforeEach(() => {
    jest.useFakeTimers();
    stored.clear();
    accepted.length = 0;
    acknowledge.mockReset().mockResolvedValue({ state: 'ACKNOWLEDGED' } as Schema<'SosDto'>);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const settle = () => jest.advanceTimersByTimeAsync(0);

  test('repeats an acknowledgement until the service has it', async () => {
    acknowledge.mockRejectedValueOnce(new NetworkError('lost')).mockRejectedValueOnce(new NetworkError('lost'));
    const acknowledgements = create();
    acknowledgements.acknowledge(SOS);
    await settle();
    expect([acknowledgements.get().get('sos')?.state, stored.get(STORED)]).toEqual(['WAITING', SOS]);
    await jest.advanceTimersByTimeAsync(5_000);
    await jest.advanceTimersByTimeAsync(5_000);
    expect([acknowledgements.get().size, stored.size, accepted]).toEqual([0, 0, ['ACKNOWLEDGED']]);
    expect(acknowledge).toHaveBeenCalledTimes(3);
  });

  test('repeats it as soon as the connection is back, once', async () => {
    acknowledge.mockRejectedValueOnce(new NetworkError('lost'));
    create().acknowledge(SOS);
    await settle();
    connect();
    connect();
    await jest.advanceTimersByTimeAsync(10_000);
    expect([acknowledge.mock.calls.length, accepted]).toEqual([2, ['ACKNOWLEDGED']]);
  });

  test('sends what an earlier page could not send', async () => {
    stored.set(STORED, SOS);
    create();
    await settle();
    expect([accepted, stored.size]).toEqual([['ACKNOWLEDGED'], 0]);
  });

  test('ends when the service rejects it', async () => {
    const error = new ApiError({ status: 404, code: 404, reason: 'SOS_NOT_FOUND', message: '' });
    acknowledge.mockRejectedValue(error);
    const acknowledgements = create();
    acknowledgements.acknowledge(SOS);
    await jest.advanceTimersByTimeAsync(10_000);
    expect([acknowledgements.get().get('sos'), stored.size]).toEqual([{ state: 'REJECTED', error }, 0]);
    expect(acknowledge).toHaveBeenCalledTimes(1);
  });
});
