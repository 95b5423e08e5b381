/** Battery levels, in per cent, at which guardians are notified; highest first. */
const ALERT_LEVELS_PERCENT = [20, 10] as const;
/** A level can be alerted again once the battery was this far above it, so a fluctuating value alerts once. */
const HYSTERESIS_PERCENT = 5;

export interface BatteryAlertDecision {
  /** The lowest level that was alerted and that the battery has not risen above since; `null` if there is none. */
  alertedLevel: number | null;
  /** True when the battery has just fallen to a level that was not alerted yet. */
  shouldAlert: boolean;
}

/** Decides whether a reported battery level (per cent) raises an alert. A charging watch never raises one. */
export function decideBatteryAlert(
  alertedLevel: number | null,
  battery: number,
  charging: boolean,
): BatteryAlertDecision {
  const activeLevel =
    ALERT_LEVELS_PERCENT.findLast(
      (level) => alertedLevel !== null && level >= alertedLevel && battery < level + HYSTERESIS_PERCENT,
    ) ?? null;
  const reachedLevel = ALERT_LEVELS_PERCENT.findLast((level) => battery <= level) ?? null;
  const isNew = reachedLevel !== null && (activeLevel === null || reachedLevel < activeLevel);
  return isNew && !charging
    ? { alertedLevel: reachedLevel, shouldAlert: true }
    : { alertedLevel: activeLevel, shouldAlert: false };
}
