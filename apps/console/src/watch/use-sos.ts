import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EnrolledWatch } from './watch-identity.js';
import { locationOf, type WatchSensors } from './watch-sensors.js';

const STATE_INTERVAL_MS = 5_000;

/**
 * Raises an SOS and follows it until it is resolved: a repeated request with the same time returns the state of the same
 * SOS.
 */
export function useSos({ client, did }: EnrolledWatch, sensors: WatchSensors) {
  const [raisedAt, setRaisedAt] = useState<number>();
  const raise = useMutation({
    mutationFn: async () => {
      const time = Date.now();
      await client.watch.raiseSos({ time, location: locationOf(sensors) });
      setRaisedAt(time);
    },
  });
  const { data } = useQuery({
    queryKey: ['watch-sos', did, raisedAt],
    queryFn: () => client.watch.raiseSos(raisedAt === undefined ? {} : { time: raisedAt }),
    enabled: raisedAt !== undefined,
    refetchInterval: ({ state }) => (state.data?.state === 'RESOLVED' ? false : STATE_INTERVAL_MS),
  });
  return { raise, isOpen: raisedAt !== undefined && data?.state !== 'RESOLVED' };
}
