/**
 * Vibrates a phone with a pattern of milliseconds of vibration and pause; 0 ends it. Does nothing where the person has
 * not touched the page since it was loaded: browsers refuse it there and report an error, also where sound is allowed.
 */
export function vibrate(pattern: number | number[]): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern);
}
