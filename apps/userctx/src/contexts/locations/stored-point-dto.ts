import type { StoredPointDto } from '@family-watch/domain/locations/dto/track.dto';
import type { StoredPoint } from './point-row.js';

export function toStoredPointDto({ point, flags, receivedAt }: StoredPoint): StoredPointDto {
  return { ...point, flags, receivedAt };
}
