import { DEVICE_KIND, type DeviceKind } from '@family-watch/domain/accounts/contracts/account';

/** The first pattern that matches a User-Agent decides: the User-Agents of tablets also name the system of phones. */
const PATTERNS: readonly (readonly [RegExp, DeviceKind])[] = [
  [/iPad|Tablet|Android(?!.*Mobile).*(Chrome|Firefox)/i, DEVICE_KIND.TABLET],
  [/iPhone|Android|HarmonyOS|Mobile/i, DEVICE_KIND.PHONE],
  [/Windows NT|Macintosh|X11|Linux/i, DEVICE_KIND.COMPUTER],
];

/** Returns the kind of device that a User-Agent names. Only informs the person; clients choose their User-Agent. */
export function deviceKindOf(userAgent: string | null): DeviceKind {
  return PATTERNS.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1] ?? DEVICE_KIND.UNKNOWN;
}
