/** Battery levels, in per cent, at which guardians are notified; highest first. */
const ALERT_LEVELS_PERCENT = [20, 10] as const;
/**
 * An alert at a level can be raised again only after the battery was this many per cent above the level, so a
 * fluctuating value raises one alert.
 */
const HYSTERESIS_PERCENT = 5;

export interface BatteryAlertDecision {
  /** The lowest level at which an alert was raised and above which the battery has not risen since, or `null`. */
  alertedLevel: number | null;
  /** True when the battery has just fallen to a level at which no alert is active. */
  shouldAlert: boolean;
}

/** Decides whether a reported battery level (per cent) raises an alert; a charging watch raises no alert. */
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
