import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type Dispatch, type SetStateAction } from 'react';
import type { EnrolledWatch } from './watch-identity.js';
import { locationOf, walk, type WatchSensors } from './watch-sensors.js';

const INTERVAL_MS = 10_000;

/** Lets the watch walk by itself and report where it is, until it is stopped or off. */
export function useWalk(
  watch: EnrolledWatch | undefined,
  isActive: boolean,
  sensors: WatchSensors,
  onSensors: Dispatch<SetStateAction<WatchSensors>>,
) {
  const [isStarted, setStarted] = useState(false);
  const isWalking = isStarted && isActive && watch !== undefined;
  const current = useRef(sensors);
  current.current = sensors;
  const report = useMutation({
    mutationFn: async () => {
      const next = walk(current.current);
      onSensors(next);
      // The gateway passes the steps of heartbeats on once a minute. The location comes last: parents hear of it.
      await watch?.client.watch.reportSteps({ stepTotal: next.stepTotal });
      await watch?.client.watch.reportLocation({ points: [locationOf(next)] });
    },
  });
  const { mutate } = report;
  useEffect(() => {
    if (!isWalking) return;
    mutate();
    const timer = setInterval(() => mutate(), INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isWalking, mutate]);
  return { isWalking, report, toggle: () => setStarted(!isStarted) };
}
