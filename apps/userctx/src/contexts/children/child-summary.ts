import type { ChildDevice, ChildSummary } from '@family-watch/domain/children/contracts/child';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { ChildListRow } from './child-list.repository.js';

/**
 * Converts a row to the response format of specification 2.1. `device` is null without a watch, `lastLocation` without
 * a location.
 */
export function toChildSummary(
  row: ChildListRow,
  view: { stepCount: number; ticket: string | null; seesLocation: boolean },
): ChildSummary {
  return {
    cid: row.cid,
    stepCount: view.stepCount,
    name: row.name,
    ...(row.avatar === null ? {} : { avatar: row.avatar }),
    device: deviceOf(row, view.ticket),
    lastLocation: view.seesLocation ? locationOf(row) : null,
  };
}

/**
 * Values that the watch has not reported are 0, because the int32 fields of the specification have no value for
 * "unknown".
 */
function deviceOf({ did, battery, signal, signalMax }: ChildListRow, ticket: string | null): ChildDevice | null {
  if (did === null || ticket === null) return null;
  return { did, battery: battery ?? 0, signal: signal ?? 0, signalMax: signalMax ?? 0, ticket };
}

function locationOf({ latitude, longitude, positionTime, radius, pointType }: ChildListRow): Location | null {
  if (latitude === null || longitude === null || positionTime === null || radius === null || pointType === null) {
    return null;
  }
  return { latitude, longitude, positionTime, radius, pointType };
}
