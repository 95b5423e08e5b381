/** What the sensors of the watch measure. */
export interface WatchSensors {
  /** Per cent. */
  battery: number;
  /** Steps since the enrolment of the watch. */
  stepTotal: number;
  /** Degrees WGS 84. */
  latitude: number;
  longitude: number;
}

export const INITIAL_SENSORS: WatchSensors = { battery: 80, stepTotal: 0, latitude: 39.9042, longitude: 116.4074 };

/** Steps of one report, and the degrees by which they move the watch to the north-east: about 70 m. */
const WALK = { steps: 100, degrees: 0.0005 };

export function walk(sensors: WatchSensors): WatchSensors {
  return {
    ...sensors,
    stepTotal: sensors.stepTotal + WALK.steps,
    latitude: sensors.latitude + WALK.degrees,
    longitude: sensors.longitude + WALK.degrees,
  };
}

/** Returns the location as the watch reports it, measured now by GPS. */
export function locationOf({ latitude, longitude }: WatchSensors) {
  return {
    latitude: latitude.toFixed(6),
    longitude: longitude.toFixed(6),
    positionTime: Date.now(),
    radius: 10,
    pointType: 1 as const,
  };
}
