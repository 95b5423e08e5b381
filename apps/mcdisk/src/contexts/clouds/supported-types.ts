import { FAMILY_CATALOG_TYPE, FAMILY_CLOUD_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { FamilyCloudRequestDto } from '@family-watch/domain/family-cloud/dto/family-cloud-fields';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** @throws ServiceError CLOUD_TYPE_UNSUPPORTED with the name of the field */
export function assertSupportedTypes({ cloudType, catalogType }: FamilyCloudRequestDto): void {
  if ((cloudType ?? FAMILY_CLOUD_TYPE) !== FAMILY_CLOUD_TYPE)
    throw unsupportedTypeError('cloudType', FAMILY_CLOUD_TYPE);
  if ((catalogType ?? FAMILY_CATALOG_TYPE) !== FAMILY_CATALOG_TYPE)
    throw unsupportedTypeError('catalogType', FAMILY_CATALOG_TYPE);
}

function unsupportedTypeError(field: string, supported: number): ServiceError {
  return new ServiceError('CLOUD_TYPE_UNSUPPORTED', {
    details: [{ field, rule: 'supported', message: `${field} must be ${supported}` }],
  });
}
