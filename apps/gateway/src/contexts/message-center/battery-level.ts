/** Per cent at which guardians are told, from the higher to the lower. */
const LEVELS = [20, 10] as const;
/** Per cent above a level at which it can be told again, so that a value that wavers is told once. */
const HYSTERESIS = 5;

export interface BatteryAlertDecision {
  /** The lowest level that has been told and not been left again; `null` while there is none. */
  told: number | null;
  /** True when the battery has just fallen to a level that was not told. */
  tells: boolean;
}

/** What to tell of a watch's battery after it has said `battery` (per cent). Nothing is told while it is charged. */
export function decideBatteryAlert(told: number | null, battery: number, charging: boolean): BatteryAlertDecision {
  const standing = LEVELS.findLast((level) => told !== null && level >= told && battery < level + HYSTERESIS) ?? null;
  const reached = LEVELS.findLast((level) => battery <= level) ?? null;
  const isNew = reached !== null && (standing === null || reached < standing);
  return isNew && !charging ? { told: reached, tells: true } : { told: standing, tells: false };
}
