import { StepUpDto, StepUpField } from '../../accounts/dto/profile.dto.js';
import {
  EnumField,
  IntegerField,
  NestedField,
  StringField,
  UnixMillisecondsField,
  UuidField,
} from '../../kernel/dto/fields.js';
import {
  DATA_EXPORT_STATE,
  EXPORT_FAILURE_REASON,
  type DataExportState,
  type ExportFailureReason,
} from '../contracts/data-export.js';

export class CreateDataExportDto {
  @StepUpField('The password, or a code of scene STEP_UP')
  stepUp?: StepUpDto;
}

export class DataExportDto {
  @UuidField()
  exportId: string;

  @EnumField(DATA_EXPORT_STATE, {
    description:
      'WAITING: the archive waits until others are complete or deleted. RUNNING: it is being assembled. READY: it can be ' +
      'downloaded until `expiresAt`. FAILED: `failureReason` says why. ENDED: it ' +
      'was deleted, because it expired, another export was requested, or the person may not read all of it any more.',
  })
  state: DataExportState;

  @EnumField(EXPORT_FAILURE_REASON, {
    nullable: true,
    description:
      'TOO_LARGE: the archive would need more space than one person may use; a new request succeeds only with fewer ' +
      'files. ERROR: a new request may succeed. Null unless `state` is FAILED.',
  })
  failureReason: ExportFailureReason | null;

  @UnixMillisecondsField()
  requestedAt: number;

  @IntegerField({ min: 0, description: 'Number of records that the archive contains so far' })
  records: number;

  @IntegerField({ min: 0, description: 'Number of files of family clouds that the archive contains so far' })
  files: number;

  @IntegerField({ min: 0, description: 'Bytes of these files' })
  bytes: number;

  @IntegerField({ min: 0, nullable: true, description: 'Size of the archive in bytes; null until it is complete' })
  size: number | null;

  @UnixMillisecondsField({ nullable: true, description: 'When the archive is deleted; null until it is complete' })
  expiresAt: number | null;

  @StringField({
    nullable: true,
    description:
      'The archive (ZIP), for the session that requested the export. A download must begin within five minutes; after that, get the export ' +
      'again. Ranges are supported, and the ETag is the same at all URLs. Null unless `state` is READY, ' +
      'and in other sessions of the person.',
  })
  downloadURL: string | null;
}

export class LatestDataExportDto {
  @NestedField(() => DataExportDto, { nullable: true, description: 'The last export; null if there is none' })
  export: DataExportDto | null;
}
