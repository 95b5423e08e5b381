import { useEffect, useState, type Dispatch, type SetStateAction } from 'react';
import type { Position } from '../features/locations/map/coordinates.js';
import { createRoute, positionAfter, type Route } from './route.js';
import type { WatchSensors } from './watch-sensors.js';

/** Kilometres per hour. */
export const SPEEDS = ['5', '15', '50'] as const;
export type Speed = (typeof SPEEDS)[number];

const TICK_MS = 1_000;
const MS_PER_HOUR = 3_600_000;
/** Metres of one step; nobody steps in a bus or on a bicycle. */
const STEP_METRES = 0.7;
const WALKING_SPEED: Speed = '5';

/** Moves the watch along a route, with the speed and in the time of a real one. */
export function useGpxWalk(isActive: boolean, onSensors: Dispatch<SetStateAction<WatchSensors>>) {
  const [route, setRoute] = useState<Route>();
  const [speed, setSpeed] = useState<Speed>(WALKING_SPEED);
  const [metres, setMetres] = useState(0);
  const [isStarted, setStarted] = useState(false);
  const isAtEnd = route !== undefined && metres >= route.length;
  const isWalking = isActive && isStarted && route !== undefined && !isAtEnd;

  useEffect(() => {
    if (!isWalking) return;
    const progress = (Number(speed) * 1_000 * TICK_MS) / MS_PER_HOUR;
    const timer = setInterval(() => {
      setMetres((current) => current + progress);
      if (speed !== WALKING_SPEED) return;
      onSensors((sensors) => ({ ...sensors, stepTotal: sensors.stepTotal + Math.round(progress / STEP_METRES) }));
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [isWalking, speed, onSensors]);

  const position = route && positionAfter(route, metres);
  const [longitude, latitude] = position ?? [];
  useEffect(() => {
    if (longitude === undefined || latitude === undefined) return;
    onSensors((sensors) => ({ ...sensors, longitude, latitude }));
  }, [longitude, latitude, onSensors]);

  return {
    route,
    metres: Math.min(metres, route?.length ?? 0),
    speed,
    setSpeed,
    isWalking,
    isAtEnd,
    start: () => {
      if (isAtEnd) setMetres(0);
      setStarted(true);
    },
    pause: () => setStarted(false),
    load: (positions: readonly Position[]) => {
      setRoute(createRoute(positions));
      setMetres(0);
      setStarted(false);
    },
  };
}
